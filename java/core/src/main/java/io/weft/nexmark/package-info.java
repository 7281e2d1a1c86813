/** The events of Nexmark: an auction site's persons, auctions and bids. */
package io.weft.nexmark;
