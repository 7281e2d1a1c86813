/** Who is who in a run: tickets for the processes that have a key of the run's keytab. */
package io.weft.kerberos;
