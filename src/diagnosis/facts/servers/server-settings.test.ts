import { describe, expect, it } from 'vitest';
import { configMap, pod } from '../../evidence.fixtures.ts';
import type { ServiceEvidence } from '../../evidence/pod-evidence.ts';
import { COMPLAINTS } from './complaints.ts';
import { ownLimit, settingBehind } from './server-settings.ts';

const mounted = (): ReturnType<typeof pod> =>
  pod({
    name: 'api-1',
    container: { volumeMounts: [{ name: 'conf', mountPath: '/etc/api' }] },
    spec: { volumes: [{ name: 'conf', configMap: { name: 'conf' } }] },
  });
const service = (key: string, text: string): ServiceEvidence => ({
  namespace: 'shop',
  name: 'api',
  missing: false,
  clusterIPs: [],
  ports: [],
  ready: 1,
  notReady: 0,
  server: { owner: 'deployment/api', pod: mounted(), configs: [configMap('conf', { [key]: text })] },
});

describe('the setting of a server behind what it says', () => {
  it.each<[said: string, key: string, text: string, has: string]>([
    [
      'ERROR:  prepared statement "pdo_stmt_00000011" does not exist',
      'pgbouncer.ini',
      '[pgbouncer]\npool_mode = transaction',
      'pool_mode transaction (ConfigMap conf, key pgbouncer.ini, line 2)',
    ],
    [
      'FATAL: unsupported startup parameter: extra_float_digits',
      'pgbouncer.ini',
      'ignore_startup_parameters = search_path',
      'ignore_startup_parameters search_path (ConfigMap conf, key pgbouncer.ini, line 1)',
    ],
    [
      'ERROR: query_wait_timeout',
      'pgbouncer.ini',
      'default_pool_size=2',
      'default_pool_size 2 (ConfigMap conf, key pgbouncer.ini, line 1)',
    ],
    [
      'ERROR: logical decoding requires wal_level >= logical',
      'postgresql.conf',
      "wal_level = 'replica'",
      'wal_level replica (ConfigMap conf, key postgresql.conf, line 1)',
    ],
    [
      "(1364, \"Field 'note' doesn't have a default value\")",
      'my.cnf',
      '[mysqld]\nsql_mode=STRICT_ALL_TABLES',
      'sql_mode STRICT_ALL_TABLES (ConfigMap conf, key my.cnf, line 2)',
    ],
    [
      'DENIED Redis is running in protected mode because',
      'redis.conf',
      'protected-mode yes',
      'protected-mode yes (ConfigMap conf, key redis.conf, line 1)',
    ],
    [
      'NOREPLICAS Not enough good replicas to write.',
      'redis.conf',
      'min-replicas-to-write 1',
      'min-replicas-to-write 1 (ConfigMap conf, key redis.conf, line 1)',
    ],
    [
      'PRECONDITION_FAILED - delivery acknowledgement on channel 1 timed out. Timeout value used: 60000 ms',
      'rabbitmq.conf',
      'consumer_timeout = 60000',
      'consumer_timeout 60000 (ConfigMap conf, key rabbitmq.conf, line 1)',
    ],
    [
      "ACCESS_REFUSED - user 'guest' can only connect via localhost",
      'rabbitmq.conf',
      'loopback_users.guest = true',
      'loopback_users.guest true',
    ],
    [
      '[SSL: TLSV1_ALERT_PROTOCOL_VERSION] tlsv1 alert protocol version',
      'nginx.conf',
      'server {\n  ssl_protocols TLSv1.3;\n}',
      'ssl_protocols TLSv1.3 (ConfigMap conf, key nginx.conf, line 2)',
    ],
    [
      'User deploy from 10.2.0.4 not allowed because not listed in AllowUsers',
      'sshd_config',
      'AllowUsers backup',
      'AllowUsers backup (ConfigMap conf, key sshd_config, line 1)',
    ],
    [
      'ldap_search: Size limit exceeded (4)',
      'slapd.conf',
      'sizelimit 10',
      'sizelimit 10 (ConfigMap conf, key slapd.conf, line 1)',
    ],
  ])('%s', (said, key, text, has) => {
    const told = settingBehind(service(key, text), [said], 'exit-code')?.says;
    expect(told?.startsWith(`deployment/api behind service api has ${has}`)).toBe(true);
  });

  it.each<[said: string, key: string, text: string, has: string]>([
    [
      '[alert] 30#30: 64 worker_connections are not enough',
      'nginx.conf',
      'events { worker_connections 64; }',
      'has worker_connections 64 (ConfigMap conf, key nginx.conf, line 1)',
    ],
    [
      '[pool www] server reached pm.max_children setting (2), consider raising it',
      'www.conf',
      '[www]\npm.max_children = 2',
      'has pm.max_children 2 (ConfigMap conf, key www.conf, line 2)',
    ],
    [
      '"GET /quote HTTP/1.1" (sH--)',
      'haproxy.cfg',
      'defaults\n  timeout server 30',
      'has timeout server 30, which are ms, as there is no unit, (ConfigMap conf, key haproxy.cfg, line 2)',
    ],
    [
      'AH01695: auth_ldap authenticate: user alice authentication failed; URI /wiki [ldap_search_ext_s() for user failed][No such object]',
      'httpd.conf',
      'AuthLDAPURL "ldap://directory:389/ou=people,dc=acme,dc=example?uid"',
      'has AuthLDAPURL ldap://directory:389/ou=people,dc=acme,dc=example (ConfigMap conf, key httpd.conf, line 1)',
    ],
    [
      'ldap.NO_SUCH_OBJECT: {"msgtype": 101, "result": 32, "desc": "No such object", "matched": "dc=acme"}',
      'app.ini',
      '[ldap]\nuser_search_base = ou=people,dc=acme',
      'has user_search_base ou=people,dc=acme (ConfigMap conf, key app.ini, line 2)',
    ],
    [
      'invalid request block size: 4161 (max 4096)...skip',
      'uwsgi.ini',
      'buffer-size = 4096',
      'has buffer-size 4096 (ConfigMap conf, key uwsgi.ini, line 1)',
    ],
  ])('of its own: %s', (said, key, text, has) => {
    const own = mounted();
    const [container] = own.spec?.containers ?? [];
    if (container === undefined) throw new Error('the fixture has a container');
    expect(ownLimit(own, container, [configMap('conf', { [key]: text })], [said])).toBe(has);
  });

  it.each<[program: string, said: string, has: string | undefined]>([
    ['postgres', 'ERROR: logical decoding requires wal_level >= logical', 'sets no wal_level, which is replica then'],
    ['memcached', 'SERVER_ERROR object too large for cache', 'takes no item of more than 1 MiB'],
    ['mariadbd', 'ERROR: logical decoding requires wal_level >= logical', undefined],
  ])('that %s does not have has a default', (program, said, has) => {
    const server = { owner: 'deployment/api', pod: pod({ container: { command: [program] } }), configs: [] };
    const told = settingBehind({ ...service('a', ''), server }, [said], 'exit-code')?.says;
    expect(told?.startsWith(`deployment/api behind service api ${has ?? ''}`)).toBe(
      has === undefined ? undefined : true,
    );
  });

  it('is none of its own where its peer says so', () => {
    const own = mounted();
    const [container] = own.spec?.containers ?? [];
    if (container === undefined) throw new Error('the fixture has a container');
    const configs = [configMap('conf', { 'app.conf': 'max_connections = 5' })];
    expect(ownLimit(own, container, configs, ['FATAL: sorry, too many clients already'])).toBeUndefined();
  });

  it('has names without blanks at their ends', () => {
    for (const { settings } of COMPLAINTS) {
      expect(settings.length).toBeGreaterThan(0);
      for (const name of settings) expect(name).toMatch(/^\S(?:.*\S)?$/);
    }
  });
});
