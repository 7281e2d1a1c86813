/** What a workload's job is whatever the engine: options, checks, timing and outcome. */
package io.weft.job;
