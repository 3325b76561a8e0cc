/** Limits and times of the cluster's DNS server. */

/** How long clients may keep what follows pods; CoreDNS' default. */
export const CLUSTER_TTL_SECONDS = 5;
/** A ClusterIP stays as long as its service. */
export const CLUSTER_IP_TTL_SECONDS = 30;
/** A name that is denied now may exist in a moment: a StatefulSet's pods look for each other as they start. */
export const NEGATIVE_TTL_SECONDS = 1;
/** Aliases that lead to aliases: more is a mistake, or a circle. */
export const MAX_ALIASES = 8;

/** A node of 500 pods has some of them ask by TCP at a time. */
export const MAX_TCP_CONNECTIONS = 512;
export const MAX_TCP_CONNECTIONS_PER_CLIENT = 32;
/** Queries of one connection that wait for their answers; more are not read. */
export const MAX_TCP_OPEN_QUERIES = 32;
/** Answers that a client does not read. */
export const MAX_TCP_BACKLOG_BYTES = 256 * 1024;
/** RFC 7766 §6.2.3 wants some seconds. */
export const TCP_IDLE_MS = 10_000;
/** About a thousand queries that came while the loop was busy. */
export const RECEIVE_BUFFER_BYTES = 1 << 20;

/** Queries that wait for the first list of services, or for other servers. */
export const MAX_PENDING_QUERIES = 4096;
export const MAX_PENDING_PER_CLIENT = 512;
/** Shorter than any resolver's patience: an agent that starts again has its services by then. */
export const SYNC_PATIENCE_MS = 2500;
/**
 * Since the first question: the start of an agent takes seconds on a busy machine. glibc gives up at the second SERVFAIL, but asks
 * for ten seconds while there is silence, and takes an answer to its first packet all that time.
 */
export const START_PATIENCE_MS = 10_000;

/** Different questions that are being asked elsewhere; CoreDNS' max_concurrent. */
export const MAX_FORWARDS = 1000;
/** After this the next server is asked, too. */
export const NEXT_SERVER_MS = 1000;
/** glibc and musl give up after five seconds. */
export const FORWARD_PATIENCE_MS = 4500;
/** A server that was silent comes last for this time. */
export const SILENT_SERVER_MS = 10_000;
/** Of all servers together, for one question. */
export const MAX_ATTEMPTS = 6;
/** resolv.conf of most systems has three servers at most; systemd's may have more. */
export const MAX_SERVERS = 8;
export const MAX_RESOLV_CONF_BYTES = 64 * 1024;
/** How often the file of the node's servers is looked at, at most. */
export const RESOLV_CONF_CHECK_MS = 5000;

/** A server that sends questions back here does so at once, or its own servers are slow. */
export const LOOP_PROBE_MS = 2000;

export const MAX_CACHED_ANSWERS = 4096;
export const MAX_CACHED_BYTES = 4 << 20;
/** CoreDNS' upper limit of what is affirmed; what is denied is asked again sooner. */
export const MAX_CACHED_SECONDS = 3600;
export const MAX_DENIAL_SECONDS = 60;
/** RFC 8767: for how long an answer may serve after its time, while nobody gives a newer one. */
export const MAX_STALE_SECONDS = 86_400;
export const STALE_TTL_SECONDS = 30;
/** RFC 8767 §5: a client gets the stale answer after this. */
export const STALE_PATIENCE_MS = 1800;
/** After a failure the stale answer serves at once for this time. */
export const FAILURE_RECHECK_MS = 5000;

/** How often the machine's own addresses and networks are read for strangers, at most. */
export const OWN_ADDRESSES_CHECK_MS = 1000;
