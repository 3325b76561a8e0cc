/** Tells of what kind a peer is, and of which kinds a line speaks: a line about the database is not about the cache. Pure. */

export type PeerKind = 'database' | 'cache' | 'queue' | 'search';

const WORDS: Readonly<Record<PeerKind, RegExp>> = {
  database:
    /database|datasource|\b(?:my|ms|pg)?db\b|postgres|\bpg(?:host|bouncer|pool|x)?\b|\bpsql\b|mysql|maria|\bsql|mongo|cassandra|cockroach|oracle|jdbc|hikari|sequelize|prisma|psycopg|\brds\b/i,
  cache: /redis|valkey|memcache|\bcaches?\b|keydb|dragonfly/i,
  queue: /rabbit|amqp|kafka|\bnats\b|broker|\bqueues?\b|\bmq\b|celery|sidekiq|pulsar|mqtt|mosquitto/i,
  search: /elastic|opensearch|\bsolr\b|meili|typesense/i,
};
const PORTS: Readonly<Record<number, PeerKind>> = {
  1433: 'database',
  3306: 'database',
  5432: 'database',
  27017: 'database',
  9042: 'database',
  6379: 'cache',
  11211: 'cache',
  4222: 'queue',
  5671: 'queue',
  5672: 'queue',
  9092: 'queue',
  9200: 'search',
};
const KINDS = Object.keys(WORDS) as readonly PeerKind[];

/** The kinds that a text names; none for one about peers of any kind. */
export function kindsIn(text: string): readonly PeerKind[] {
  const words = text.replaceAll(/[_.-]/g, ' ');
  return KINDS.filter((kind) => WORDS[kind].test(words));
}

/** By its port, else by the words of its place and its name: a cache may serve as a queue, too. */
export function kindsOfPeer(text: string, port: number | undefined): readonly PeerKind[] {
  const ofPort = port === undefined ? undefined : PORTS[port];
  return [...new Set([...(ofPort === undefined ? [] : [ofPort]), ...kindsIn(text)])];
}
