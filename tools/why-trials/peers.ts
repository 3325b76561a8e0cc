/** Faults that are the same for each client language: what is broken, and what a diagnosis must say. */
import type { Trial } from './trial.ts';

type Fault = Pick<Trial, 'name' | 'family' | 'truth'> & Partial<Pick<Trial, 'before' | 'user' | 'env' | 'pod'>>;

const START_POSTGRES = `setpriv --reuid=70 --regid=70 --clear-groups /usr/lib/postgresql/15/bin/pg_ctl -w -D /var/lib/postgresql/data -o '-k /tmp' -l /tmp/pg.log start`;
const START_REDIS = 'redis-server --port 6379 --requirepass right --daemonize yes; sleep 0.5';
const CERTIFICATE = `openssl req -x509 -newkey rsa:2048 -nodes -keyout /tmp/k.pem -out /tmp/c.pem -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 2>/dev/null`;
const LISTENER = (port: number): string => `nohup nc -lk 0.0.0.0 ${port} >/dev/null 2>&1 & sleep 0.3`;
const volume = (source: object, readOnly?: true): Trial['pod'] => ({
  container: { volumeMounts: [{ name: 'data', mountPath: '/data', ...(readOnly && { readOnly }) }] },
  spec: { volumes: [{ name: 'data', ...source }] },
});

export const CLIENT_FAULTS = {
  pgRefused: {
    name: 'postgres-refused',
    family: 'peer',
    truth: { ids: ['dependency-refused'], must: ['127.0.0.1:5432'] },
  },
  pgNoName: {
    name: 'postgres-no-name',
    family: 'peer',
    truth: { ids: ['dependency-not-resolved'], must: ['db.shop.svc'] },
  },
  pgPassword: {
    name: 'postgres-password',
    family: 'authentication',
    before: START_POSTGRES,
    truth: { ids: ['authentication-refused'], must: ['app'], mustNot: ['s3cr3t'] },
  },
  pgNoDatabase: {
    name: 'postgres-no-database',
    family: 'data',
    before: START_POSTGRES,
    truth: { ids: ['exit-code', 'missing-data'], must: ['orders'], mustNot: ['right@'] },
  },
  pgNoTable: {
    name: 'postgres-no-table',
    family: 'data',
    before: START_POSTGRES,
    truth: { ids: ['exit-code', 'missing-data'], must: ['invoices'], mustNot: ['right@'] },
  },
  redisRefused: {
    name: 'redis-refused',
    family: 'peer',
    truth: { ids: ['dependency-refused'], must: ['127.0.0.1:6379'] },
  },
  redisPassword: {
    name: 'redis-password',
    family: 'authentication',
    before: START_REDIS,
    truth: { ids: ['authentication-refused'], must: [], mustNot: ['s3cr3t'] },
  },
  httpRefused: {
    name: 'http-refused',
    family: 'peer',
    truth: { ids: ['dependency-refused'], must: ['127.0.0.1:8081'] },
  },
  mysqlRefused: { name: 'mysql-refused', family: 'peer', truth: { ids: ['dependency-refused'], must: ['127.0.0.1'] } },
  amqpRefused: {
    name: 'amqp-refused',
    family: 'peer',
    truth: { ids: ['dependency-refused'], must: ['127.0.0.1:5672'] },
  },
  mongoRefused: {
    name: 'mongodb-refused',
    family: 'peer',
    truth: { ids: ['dependency-refused'], must: ['127.0.0.1:27017'] },
  },
  kafkaRefused: {
    name: 'kafka-refused',
    family: 'peer',
    truth: { ids: ['dependency-refused'], must: ['127.0.0.1:9092'] },
  },
  selfSigned: {
    name: 'self-signed',
    family: 'tls',
    before: `${CERTIFICATE}; nohup openssl s_server -accept 8443 -key /tmp/k.pem -cert /tmp/c.pem -www -quiet >/dev/null 2>&1 & sleep 0.5`,
    truth: { ids: ['certificate-not-trusted'], must: [] },
  },
  tlsToPlain: {
    name: 'tls-to-plain',
    family: 'tls',
    before: `nohup python3 -m http.server 8443 --bind 127.0.0.1 >/dev/null 2>&1 & sleep 3`,
    truth: { ids: ['exit-code', 'tls-mismatch'], must: [] },
  },
  portTaken: {
    name: 'port-taken',
    family: 'port',
    before: LISTENER(8080),
    truth: { ids: ['port-in-use'], must: ['8080'] },
  },
  privilegedPort: {
    name: 'privileged-port',
    family: 'permission',
    truth: { ids: ['permission-denied'], must: ['80'] },
  },
  fileDenied: {
    name: 'file-denied',
    family: 'permission',
    user: 1000,
    before: 'mkdir -p /data && touch /data/state.db && chmod 755 /data && chmod 600 /data/state.db',
    pod: volume({ persistentVolumeClaim: { claimName: 'data' } }),
    truth: { ids: ['permission-denied'], must: ['/data/state.db'] },
  },
  readOnly: {
    name: 'read-only',
    family: 'permission',
    before: 'mkdir -p /data && mount -t tmpfs -o ro none /data',
    pod: volume({ persistentVolumeClaim: { claimName: 'data' } }, true),
    truth: { ids: ['read-only-file-system'], must: ['/data/cache.json'] },
  },
  fullVolume: {
    name: 'full-volume',
    family: 'limit',
    before: 'mkdir -p /data && mount -t tmpfs -o size=1M none /data',
    pod: volume({ emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } }),
    truth: { ids: ['no-space'], must: [] },
  },
  missingFile: {
    name: 'missing-file',
    family: 'file',
    truth: { ids: ['missing-setting'], must: ['/etc/app/settings.json'] },
  },
  malformedFile: { name: 'malformed-json', family: 'file', truth: { ids: ['malformed-config'], must: [] } },
  missingVariable: {
    name: 'missing-variable',
    family: 'config',
    truth: { ids: ['missing-setting'], must: ['DATABASE_URL'] },
  },
  missingModule: (module: string) => ({
    name: 'missing-module',
    family: 'code',
    truth: { ids: ['missing-module', 'exit-code'], must: [module] },
  }),
} satisfies Record<string, Fault | ((module: string) => Fault)>;
