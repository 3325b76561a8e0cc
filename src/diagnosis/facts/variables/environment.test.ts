import { describe, expect, it } from 'vitest';
import { configMap, pod } from '../../evidence.fixtures.ts';
import { environmentOf } from './environment.ts';
import { filePeers } from '../peers/file-peers.ts';
import { awaitedPeers, environmentPeers, placeText } from '../peers/spec-peers.ts';

const MAPS = [
  configMap('app', { 'db.host': 'orders-db', MODE: 'fast', LEVEL: 'low' }),
  configMap('more', { LEVEL: 'high' }),
];

describe('the variables of a container', () => {
  const fromKey = (name: string, config: string, key: string): object => ({
    name,
    valueFrom: { configMapKeyRef: { name: config, key } },
  });

  it('have the values of the specification and of ConfigMaps, and none of Secrets', () => {
    const env = [
      { name: 'A', value: '1' },
      fromKey('DB_HOST', 'app', 'db.host'),
      fromKey('GONE', 'app', 'gone'),
      { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'app', key: 'MODE' } } },
    ] as never;
    expect(environmentOf({ name: 'a', env }, MAPS)).toEqual([
      { name: 'A', value: '1', at: 'env[0] (A)' },
      { name: 'DB_HOST', value: 'orders-db', at: 'env[1] (DB_HOST)', of: 'ConfigMap app, key db.host' },
    ]);
  });

  it('hide those of envFrom, of which the last counts', () => {
    const envFrom = [{ configMapRef: { name: 'app' } }, { prefix: '', configMapRef: { name: 'more' } }];
    const all = environmentOf({ name: 'a', env: [{ name: 'MODE', value: 'slow' }], envFrom }, MAPS);
    expect(all.map(({ name, value }) => `${name}=${value}`)).toEqual(['MODE=slow', 'db.host=orders-db', 'LEVEL=high']);
  });

  it('name peers, of commands, too', () => {
    const spec = {
      name: 'a',
      env: [fromKey('DB_HOST', 'app', 'db.host'), { name: 'DB_PORT', value: '5432' }] as never,
      command: ['sh', '-c', 'until nc -z $DB_HOST $DB_PORT; do sleep 1; done'],
    };
    const environment = environmentOf(spec, MAPS);
    const [peer] = environmentPeers(environment);
    expect(peer).toMatchObject({ host: 'orders-db', port: 5432 });
    expect(peer && placeText(peer)).toBe('variable DB_HOST of ConfigMap app, key db.host');
    expect(awaitedPeers(spec, environment)).toEqual([{ host: 'orders-db', port: 5432, at: 'command' }]);
  });
});

describe('the peers of files', () => {
  const container = { name: 'web', volumeMounts: [{ name: 'conf', mountPath: '/etc/app' }] };
  const mounted = pod({ spec: { volumes: [{ name: 'conf', configMap: { name: 'app' } }] } });
  const peersOf = (key: string, text: string): readonly string[] =>
    filePeers(mounted, container, [configMap('app', { [key]: text })]).map(({ host, port }) => `${host}:${port ?? ''}`);

  it.each<[what: string, key: string, text: string, peers: readonly string[]]>([
    ['YAML', 'app.yaml', 'server:\n  port: 80\ndatabase:\n  host: orders-db\n  port: 5433\n', ['orders-db:5433']],
    ['properties', 'app.properties', 'cache.host=redis-main\ncache.port=6380\n', ['redis-main:6380']],
    ['a URL', 'application.properties', 'spring.datasource.url=jdbc:postgresql://pg:5432/app', ['pg:5432']],
    ['JSON', 'c.json', '{\n  "host": "mq",\n  "port": 5672\n}', ['mq:5672']],
    ['a script', 'main.py', "con = psycopg2.connect(host='pg-main', user='app')", ['pg-main:']],
    [
      'a script that waits',
      'run.sh',
      '#!/bin/sh\nuntil nc -z orders-db 5433; do sleep 1; done\nexec app\n',
      ['orders-db:5433'],
    ],
    ['HAProxy', 'haproxy.cfg', 'backend b\n  server s1 api:8080 check\n  bind web:80\n', ['api:8080']],
    ['nginx', 'default.conf', 'upstream a {\n  server api:8080;\n}\nfastcgi_pass fpm:9000;', ['api:8080', 'fpm:9000']],
    ['stunnel', 's.conf', 'accept = 6380\nconnect = redis:6379\n', ['redis:6379']],
    [
      'dnsmasq',
      'd.conf',
      'no-resolv\nserver=/cluster.local/10.96.0.10#5353\nserver=10.9.9.9\n',
      ['10.96.0.10:5353', '10.9.9.9:53'],
    ],
    ['the resolver of nginx', 'n.conf', 'resolver 10.96.0.10 valid=5s ipv6=off;\n', ['10.96.0.10:53']],
    ['Unbound', 'u.conf', '  forward-addr: 10.96.0.10@5353\n', ['10.96.0.10:5353']],
    ['Prometheus', 'p.yml', "      - targets: ['api:9090', 'localhost:9100', \"db:9187\"]", ['api:9090', 'db:9187']],
    ['Redis', 'redis.conf', 'replicaof redis-main 6379\n', ['redis-main:6379']],
    ['a sentinel', 's.conf', 'sentinel monitor shop redis-main 6379 2\n', ['redis-main:6379']],
    ['PgBouncer', 'p.ini', '[databases]\nshop = host=pg-main port=5433 dbname=shop\n', ['pg-main:5433']],
    [
      'Varnish',
      'default.vcl',
      'vcl 4.1;\nbackend default {\n  .host = "web";\n  .port = "8081";\n  .connect_timeout = 2s;\n}\n',
      ['web:8081'],
    ],
    ['a client of the command line', 'q.js', "spawnSync('psql',['-h','finance-db','-U','dashboard'])", ['finance-db:']],
    [
      'an object of options',
      's.js',
      "const req=https.request({host:'payments',port:443,path:'/charge'},r=>{})",
      ['payments:443'],
    ],
    ['gRPC', 'c.py', 'call=grpc.insecure_channel("geo:50051").unary_unary("/geo.v2.Geo/Locate",f,f)', ['geo:50051']],
    ['answers of a handler', 'app.py', '    return ("ok", 200) if well else ("mail-pipeline", 503)', []],
    ['no peers', 'a.yaml', 'start: 10:30\nimage: shop:12\ntime: at 9:15\n', []],
    ['what it listens on', 'n.conf', 'listen: 0.0.0.0:80\nbind_host: web\nserver_name example.org;', []],
    ['itself and comments', 'app.yaml', '# host: other\nhost: localhost\n', []],
    ['a certificate', 'ca.crt', 'host: db', []],
  ])('%s', (_what, key, text, peers) => {
    expect(peersOf(key, text)).toEqual(peers);
  });

  it('are of what the container mounts', () => {
    expect(filePeers(mounted, { name: 'web' }, [configMap('app', { a: 'host: db' })])).toEqual([]);
  });
});
