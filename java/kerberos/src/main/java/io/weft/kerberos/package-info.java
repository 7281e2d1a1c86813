/** Who is who in a run: tickets for whoever has a key of the run's keytab. */
package io.weft.kerberos;
