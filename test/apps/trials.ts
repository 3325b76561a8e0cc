/** The pods of the suite: seven programs as people run them, each well once and with faults that are fixed here, beforehand. */

export interface AppTrial {
  readonly name: string;
  readonly objects: readonly object[];
  /** Findings that name the cause. */
  readonly ids: readonly string[];
  /** Texts that the first finding must say. */
  readonly must: readonly string[];
}

interface Given {
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly container?: object;
  readonly spec?: object;
}

function appPod(name: string, image: string, { command, args, env = {}, container, spec }: Given): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      terminationGracePeriodSeconds: 1,
      ...spec,
      containers: [
        {
          name: 'app',
          image,
          imagePullPolicy: 'IfNotPresent',
          ...(command === undefined ? {} : { command }),
          ...(args === undefined ? {} : { args }),
          env: Object.entries(env).map(([key, value]) => ({ name: key, value })),
          ...container,
        },
      ],
    },
  };
}

/** The pod with a file of a ConfigMap at /conf. */
function withFile(
  name: string,
  image: string,
  file: readonly [name: string, text: string],
  given: Given,
): readonly object[] {
  const [key, text] = file;
  const mounts = { volumeMounts: [{ name: 'conf', mountPath: '/conf' }], ...given.container };
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { [key]: text } },
    appPod(name, image, {
      ...given,
      container: mounts,
      spec: { volumes: [{ name: 'conf', configMap: { name } }], ...given.spec },
    }),
  ];
}

const ready = (port: number): object => ({ readinessProbe: { tcpSocket: { port }, periodSeconds: 1 } });
const nginx = (name: string, text: string, container: object = {}): readonly object[] =>
  withFile(name, 'nginx:1', ['site.conf', text], {
    container: { volumeMounts: [{ name: 'conf', mountPath: '/etc/nginx/conf.d' }], ...container },
  });
/** A database in an empty volume that its user may write to, as manifests have it. */
function database(
  image: string,
  folder: string,
): Required<Pick<Given, 'spec' | 'container'>> & { readonly image: string } {
  return {
    image,
    spec: { securityContext: { runAsUser: 999, fsGroup: 999 }, volumes: [{ name: 'data', emptyDir: {} }] },
    container: { volumeMounts: [{ name: 'data', mountPath: folder }] },
  };
}

const bare = database('postgres:15', '/var/lib/postgresql/data');
/** PostgreSQL wants a folder of its own, which no volume's root is. */
const PGDATA = '/var/lib/postgresql/data/pgdata';
const postgres = { ...bare, env: { POSTGRES_PASSWORD: 'right', PGDATA } };
const mariadb = database('mariadb:10', '/var/lib/mysql');
const python = (name: string, program: string, given: Given = {}): readonly object[] =>
  withFile(name, 'python:3.11', ['main.py', program], { command: ['python3', '/conf/main.py'], ...given });
const node = (name: string, program: string, given: Given = {}): readonly object[] =>
  withFile(name, 'node:24', ['main.mjs', program], { command: ['node', '/conf/main.mjs'], ...given });

export const WELL: readonly { readonly name: string; readonly objects: readonly object[] }[] = [
  {
    name: 'well-postgres',
    objects: [
      appPod('well-postgres', postgres.image, { ...postgres, container: { ...postgres.container, ...ready(5432) } }),
    ],
  },
  { name: 'well-redis', objects: [appPod('well-redis', 'redis:7', { container: ready(6379) })] },
  {
    name: 'well-nginx',
    objects: nginx('well-nginx', 'server { listen 80; location / { return 200 ok; } }\n', ready(80)),
  },
  {
    name: 'well-mariadb',
    objects: [
      appPod('well-mariadb', mariadb.image, { ...mariadb, container: { ...mariadb.container, ...ready(3306) } }),
    ],
  },
  { name: 'well-python', objects: python('well-python', 'import http.server\nhttp.server.test(port=8000)\n') },
  {
    name: 'well-java',
    objects: [
      appPod('well-java', 'eclipse-temurin:17-jre', { command: ['rmiregistry', '1099'], container: ready(1099) }),
    ],
  },
  {
    name: 'well-node',
    objects: node(
      'well-node',
      "import http from 'node:http';\nhttp.createServer((_, res) => res.end('ok')).listen(8080);\n",
    ),
  },
];

export const FAILING: readonly AppTrial[] = [
  {
    name: 'postgres-no-folder',
    objects: [
      appPod('postgres-no-folder', postgres.image, { ...postgres, command: ['postgres', '-D', '/missing/data'] }),
    ],
    ids: ['missing-setting', 'exit-code'],
    must: ['/missing/data'],
  },
  {
    name: 'postgres-bad-setting',
    objects: [
      appPod('postgres-bad-setting', postgres.image, { ...postgres, args: ['postgres', '-c', 'shared_buffers=oops'] }),
    ],
    ids: ['malformed-config', 'exit-code'],
    must: ['shared_buffers', 'oops'],
  },
  {
    name: 'postgres-no-password',
    objects: [appPod('postgres-no-password', bare.image, { ...bare, env: { PGDATA } })],
    ids: ['missing-setting', 'exit-code'],
    must: ['POSTGRES_PASSWORD'],
  },
  {
    name: 'redis-no-folder',
    objects: [appPod('redis-no-folder', 'redis:7', { args: ['redis-server', '--dir', '/missing'] })],
    ids: ['missing-setting', 'malformed-config', 'exit-code'],
    must: ['/missing'],
  },
  {
    name: 'redis-bad-directive',
    objects: withFile('redis-bad-directive', 'redis:7', ['redis.conf', 'maxmemmory 64mb\n'], {
      args: ['redis-server', '/conf/redis.conf'],
    }),
    ids: ['malformed-config', 'exit-code'],
    must: ['maxmemmory'],
  },
  {
    name: 'redis-port-taken',
    objects: [
      appPod('redis-port-taken', 'redis:7', {
        spec: {
          initContainers: [
            {
              name: 'other',
              image: 'redis:7',
              imagePullPolicy: 'IfNotPresent',
              restartPolicy: 'Always',
              startupProbe: { tcpSocket: { port: 6379 }, periodSeconds: 1 },
            },
          ],
        },
      }),
    ],
    ids: ['port-in-use'],
    must: ['6379'],
  },
  {
    name: 'nginx-bad-directive',
    objects: nginx('nginx-bad-directive', 'server { listen 80; prxy_pass http://app; }\n'),
    ids: ['malformed-config', 'exit-code'],
    must: ['prxy_pass'],
  },
  {
    name: 'nginx-no-upstream',
    objects: nginx(
      'nginx-no-upstream',
      'server { listen 80; location / { proxy_pass http://backend.nowhere.example:8080; } }\n',
    ),
    ids: ['dependency-not-resolved'],
    must: ['backend.nowhere.example'],
  },
  {
    name: 'nginx-no-certificate',
    objects: nginx(
      'nginx-no-certificate',
      'server { listen 443 ssl; ssl_certificate /tls/tls.crt; ssl_certificate_key /tls/tls.key; }\n',
    ),
    ids: ['missing-setting', 'malformed-config'],
    must: ['/tls/tls.crt'],
  },
  {
    name: 'mariadb-bad-setting',
    objects: [appPod('mariadb-bad-setting', mariadb.image, { ...mariadb, args: ['mariadbd', '--max-conections=10'] })],
    ids: ['malformed-config', 'exit-code', 'bad-argument'],
    must: ['max-conections'],
  },
  {
    name: 'mariadb-as-root',
    objects: [appPod('mariadb-as-root', 'mariadb:10', {})],
    ids: ['exit-code', 'permission-denied'],
    must: ['root'],
  },
  {
    name: 'python-no-module',
    objects: python('python-no-module', 'import psycopg2\n'),
    ids: ['missing-module'],
    must: ['psycopg2'],
  },
  {
    name: 'python-no-variable',
    objects: python('python-no-variable', "import os\nurl = os.environ['DATABASE_URL']\n"),
    ids: ['missing-setting'],
    must: ['DATABASE_URL'],
  },
  {
    name: 'python-refused',
    objects: python(
      'python-refused',
      "import socket\nprint('starting')\nsocket.create_connection(('127.0.0.1', 5432))\n",
    ),
    ids: ['dependency-refused'],
    must: ['refused'],
  },
  {
    name: 'java-no-jar',
    objects: [appPod('java-no-jar', 'eclipse-temurin:17-jre', { command: ['java', '-jar', '/app/app.jar'] })],
    ids: ['missing-module', 'missing-binary', 'missing-setting', 'exit-code'],
    must: ['/app/app.jar'],
  },
  {
    name: 'java-no-class',
    objects: [appPod('java-no-class', 'eclipse-temurin:17-jre', { command: ['java', '-cp', '/app', 'shop.Main'] })],
    ids: ['missing-module', 'exit-code'],
    must: ['shop.Main'],
  },
  {
    name: 'java-bad-heap',
    objects: [appPod('java-bad-heap', 'eclipse-temurin:17-jre', { command: ['java', '-Xmx64q', '-version'] })],
    ids: ['bad-argument', 'malformed-config', 'exit-code'],
    must: ['-Xmx64q'],
  },
  {
    name: 'node-refused',
    objects: node('node-refused', "import net from 'node:net';\nnet.connect(5432, '127.0.0.1');\n"),
    ids: ['dependency-refused'],
    must: ['127.0.0.1:5432'],
  },
  {
    name: 'node-no-module',
    objects: node('node-no-module', "import express from 'express';\n"),
    ids: ['missing-module'],
    must: ['express'],
  },
  {
    name: 'node-no-file',
    objects: node('node-no-file', "import fs from 'node:fs';\nfs.readFileSync('/etc/app/settings.json');\n"),
    ids: ['missing-setting'],
    must: ['/etc/app/settings.json'],
  },
];
