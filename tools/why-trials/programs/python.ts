/** Trials of Python, with clients, frameworks and servers of Debian. */
import { CLIENT_FAULTS } from '../peers.ts';
import type { Trial } from '../trial.ts';

const program = 'python';
const py = (text: string): Trial['files'] => ({ 'app/main.py': text });
const run = 'exec python3 -u main.py';
const base = { program, run };
const PG = (dsn: string, sql = 'select 1'): string =>
  `import psycopg2\n\ndef main():\n    print('starting')\n    connection = psycopg2.connect("${dsn}")\n    connection.cursor().execute("${sql}")\n\nmain()\n`;

export const python: readonly Trial[] = [
  { ...base, ...CLIENT_FAULTS.pgRefused, files: py(PG('host=127.0.0.1 port=5432 user=app dbname=shop')) },
  { ...base, ...CLIENT_FAULTS.pgNoName, files: py(PG('host=db.shop.svc port=5432 user=app dbname=shop')) },
  { ...base, ...CLIENT_FAULTS.pgPassword, files: py(PG('postgres://app:s3cr3t-wrong@127.0.0.1:5432/postgres')) },
  { ...base, ...CLIENT_FAULTS.pgNoDatabase, files: py(PG('postgres://app:right@127.0.0.1:5432/orders')) },
  {
    ...base,
    ...CLIENT_FAULTS.pgNoTable,
    files: py(PG('postgres://app:right@127.0.0.1:5432/postgres', 'select * from invoices')),
  },
  {
    ...base,
    ...CLIENT_FAULTS.pgRefused,
    name: 'sqlalchemy-refused',
    files: py(
      `from sqlalchemy import create_engine\nengine = create_engine('postgresql://app:hunter2-hunter2@127.0.0.1:5432/shop')\nengine.connect()\n`,
    ),
    truth: { ids: ['dependency-refused'], must: ['127.0.0.1:5432'], mustNot: ['hunter2'] },
  },
  { ...base, ...CLIENT_FAULTS.redisRefused, files: py(`import redis\nredis.Redis(host='127.0.0.1').ping()\n`) },
  {
    ...base,
    ...CLIENT_FAULTS.redisPassword,
    files: py(`import redis\nredis.Redis(host='127.0.0.1', password='s3cr3t-wrong').ping()\n`),
  },
  {
    ...base,
    ...CLIENT_FAULTS.httpRefused,
    files: py(`import requests\nrequests.get('http://127.0.0.1:8081/health', timeout=2)\n`),
  },
  {
    ...base,
    ...CLIENT_FAULTS.mysqlRefused,
    files: py(`import pymysql\npymysql.connect(host='127.0.0.1', user='app', password='x')\n`),
  },
  {
    ...base,
    ...CLIENT_FAULTS.amqpRefused,
    truth: { ids: ['dependency-refused'], must: ['127.0.0.1'] },
    files: py(
      `import logging, pika\nlogging.basicConfig(level=logging.INFO)\npika.BlockingConnection(pika.ConnectionParameters('127.0.0.1'))\n`,
    ),
  },
  {
    ...base,
    ...CLIENT_FAULTS.selfSigned,
    files: py(`import urllib.request\nurllib.request.urlopen('https://127.0.0.1:8443/')\n`),
  },
  {
    ...base,
    ...CLIENT_FAULTS.tlsToPlain,
    files: py(`import urllib.request\nurllib.request.urlopen('https://127.0.0.1:8443/')\n`),
    truth: { ids: ['exit-code', 'tls-mismatch'], must: ['SSL'] },
  },
  {
    ...base,
    ...CLIENT_FAULTS.portTaken,
    files: py(`from flask import Flask\nFlask('shop').run(port=8080, host='0.0.0.0')\n`),
  },
  {
    ...base,
    ...CLIENT_FAULTS.portTaken,
    name: 'gunicorn-port',
    run: 'exec gunicorn -b 0.0.0.0:8080 main:app',
    seconds: 30,
    files: py(`from flask import Flask\napp = Flask('shop')\n`),
  },
  {
    ...base,
    ...CLIENT_FAULTS.privilegedPort,
    user: 1000,
    before: 'echo 1024 > /proc/sys/net/ipv4/ip_unprivileged_port_start',
    files: py(`import http.server\nhttp.server.HTTPServer(('0.0.0.0', 80), None)\n`),
    truth: { ids: ['permission-denied'], must: [] },
  },
  { ...base, ...CLIENT_FAULTS.fileDenied, files: py(`open('/data/state.db', 'a')\n`) },
  { ...base, ...CLIENT_FAULTS.readOnly, files: py(`import json\njson.dump({}, open('/data/cache.json', 'w'))\n`) },
  {
    ...base,
    ...CLIENT_FAULTS.fullVolume,
    files: py(`with open('/data/upload.bin', 'wb') as out:\n    out.write(b'0' * 3_000_000)\n`),
  },
  {
    ...base,
    ...CLIENT_FAULTS.missingFile,
    files: py(`import json\nsettings = json.load(open('/etc/app/settings.json'))\n`),
  },
  {
    ...base,
    ...CLIENT_FAULTS.malformedFile,
    files: {
      ...py(`import json\nsettings = json.load(open('/etc/app/settings.json'))\n`),
      'etc/app/settings.json': '{"port": 8080,\n}',
    },
  },
  {
    ...base,
    name: 'malformed-yaml',
    family: 'file',
    files: {
      ...py(`import yaml\nprint(yaml.safe_load(open('/etc/app/settings.yaml')))\n`),
      'etc/app/settings.yaml': 'a: 1\n  b: 2\n',
    },
    truth: { ids: ['malformed-config'], must: ['/etc/app/settings.yaml'] },
  },
  { ...base, ...CLIENT_FAULTS.missingVariable, files: py(`import os\nprint(os.environ['DATABASE_URL'])\n`) },
  { ...base, ...CLIENT_FAULTS.missingModule('celery'), files: py(`import os\nfrom celery import Celery\n`) },
  {
    ...base,
    ...CLIENT_FAULTS.missingModule('flask_cors'),
    name: 'gunicorn-module',
    run: 'exec gunicorn -b 0.0.0.0:8080 main:app',
    files: py(`import flask_cors\napp = None\n`),
  },
  {
    ...base,
    name: 'gunicorn-no-app',
    family: 'config',
    run: 'exec gunicorn -b 0.0.0.0:8080 main:application',
    files: py(`app = None\n`),
    truth: { ids: ['exit-code'], must: ['application'] },
  },
  {
    ...base,
    name: 'django-settings',
    family: 'config',
    run: 'exec python3 -u main.py check',
    files: py(`import os, django\nos.environ['DJANGO_SETTINGS_MODULE'] = 'shop.settings'\ndjango.setup()\n`),
    truth: { ids: ['missing-module', 'exit-code'], must: ['shop'] },
  },
  {
    ...base,
    name: 'django-secret-key',
    family: 'config',
    files: py(
      `import django\nfrom django.conf import settings\nsettings.configure()\ndjango.setup()\nfrom django.core.signing import Signer\nSigner().sign('x')\n`,
    ),
    truth: { ids: ['exit-code', 'missing-setting'], must: ['SECRET_KEY'] },
  },
  {
    ...base,
    name: 'attribute-of-none',
    family: 'code',
    files: py(`def load():\n    return None\n\nprint(load().name)\n`),
    truth: { ids: ['exit-code'], must: ["'NoneType' object has no attribute 'name'", 'main.py:4'] },
  },
  {
    ...base,
    name: 'syntax-error',
    family: 'code',
    files: py(`def f(:\n    pass\n`),
    truth: { ids: ['exit-code'], must: ['SyntaxError'] },
  },
  {
    ...base,
    name: 'exception-chain',
    family: 'code',
    files: py(
      `class PriceError(Exception):\n    pass\n\ntry:\n    {}['plan-7']\nexcept KeyError as error:\n    raise PriceError('plan 7 has no price') from error\n`,
    ),
    truth: { ids: ['exit-code'], must: ['plan 7 has no price'] },
  },
  {
    ...base,
    name: 'logged-exception',
    family: 'code',
    files: py(
      `import logging, sys\nlogging.basicConfig(format='%(asctime)s %(levelname)s %(name)s: %(message)s')\nlog = logging.getLogger('shop.boot')\ntry:\n    int('eleven')\nexcept ValueError:\n    log.exception('cannot read the number of workers')\n    sys.exit(4)\n`,
    ),
    truth: { ids: ['exit-code'], must: ["'eleven'"] },
  },
  {
    ...base,
    name: 'critical-json',
    family: 'code',
    files: py(
      `import json, sys, datetime\ndef log(level, message, **more):\n    print(json.dumps({'ts': datetime.datetime.utcnow().isoformat(), 'severity': level, 'message': message, **more}))\nlog('INFO', 'start')\nlog('CRITICAL', 'licence for 5 seats expired on 2024-01-01', seats=5)\nlog('INFO', 'shutting down')\nsys.exit(3)\n`,
    ),
    truth: { ids: ['exit-code'], must: ['licence for 5 seats expired'] },
  },
  {
    ...base,
    name: 'sys-exit-text',
    family: 'config',
    files: py(`import sys\nprint('reading settings')\nsys.exit('unknown queue backend: kafkaa')\n`),
    truth: { ids: ['exit-code'], must: ['unknown queue backend: kafkaa'] },
  },
  {
    ...base,
    name: 'bad-argument',
    family: 'config',
    run: 'exec python3 -u main.py --worker 4',
    files: py(
      `import argparse\np = argparse.ArgumentParser(prog='shop')\np.add_argument('--workers', type=int, choices=[1, 2])\nargs = p.parse_args(['--workerz', '4'])\n`,
    ),
    truth: { ids: ['exit-code', 'bad-argument'], must: ['--workerz'] },
  },
  {
    ...base,
    name: 'decode-error',
    family: 'encoding',
    env: { LANG: 'C.UTF-8' },
    files: { ...py(`print(open('/etc/app/names.txt', encoding='ascii').read())\n`), 'etc/app/names.txt': 'Zoë\n' },
    truth: { ids: ['exit-code', 'encoding'], must: ['UnicodeDecodeError'] },
  },
  {
    ...base,
    name: 'encode-error',
    family: 'encoding',
    env: { LC_ALL: 'POSIX', PYTHONIOENCODING: 'ascii' },
    files: py(`print('Zo\\u00eb')\n`),
    truth: { ids: ['exit-code', 'encoding'], must: ['UnicodeEncodeError'] },
  },
  {
    ...base,
    name: 'memory-error',
    family: 'limit',
    run: 'ulimit -v 300000; exec python3 -u main.py',
    files: py(`data = bytearray(900_000_000)\n`),
    truth: { ids: ['heap-exhausted'], must: [] },
  },
  {
    ...base,
    name: 'recursion',
    family: 'code',
    files: py(`def walk(n):\n    return walk(n + 1)\n\nwalk(0)\n`),
    truth: { ids: ['exit-code'], must: ['maximum recursion depth exceeded'] },
  },
  {
    ...base,
    name: 'too-many-files',
    family: 'limit',
    run: 'ulimit -n 20; exec python3 -u main.py',
    files: py(`keep = [open('/etc/hosts') for _ in range(100)]\n`),
    truth: { ids: ['too-many-files'], must: [] },
  },
  {
    ...base,
    name: 'time-out',
    family: 'peer',
    before: 'nohup nc -lk 127.0.0.1 9000 >/dev/null 2>&1 & sleep 0.3',
    files: py(`import requests\nrequests.get('http://127.0.0.1:9000/rates', timeout=1)\n`),
    truth: { ids: ['exit-code', 'dependency-times-out'], must: ['127.0.0.1'] },
  },
  {
    ...base,
    name: 'http-status',
    family: 'peer',
    before: 'cd /tmp; nohup python3 -m http.server 9001 >/dev/null 2>&1 & sleep 3',
    files: py(`import requests\nrequests.get('http://127.0.0.1:9001/feature-flags').raise_for_status()\n`),
    truth: { ids: ['exit-code'], must: ['404', '/feature-flags'] },
  },
  {
    ...base,
    name: 'gives-up',
    family: 'peer',
    files: py(
      `import socket, sys, time, logging\nlogging.basicConfig(level=logging.INFO, format='%(asctime)s %(levelname)s %(message)s')\nfor n in range(1, 4):\n    try:\n        socket.create_connection(('127.0.0.1', 6543), 1)\n    except OSError as error:\n        logging.warning('attempt %d of 3: cannot reach ledger at 127.0.0.1:6543: %s', n, error)\n        time.sleep(0.2)\nlogging.error('giving up after 3 attempts')\nsys.exit(1)\n`,
    ),
    truth: { ids: ['dependency-refused'], must: ['127.0.0.1:6543'] },
  },
  {
    ...base,
    name: 'overcome-then-code',
    family: 'code',
    files: py(
      `import logging, socket\nlogging.basicConfig(level=logging.INFO)\ntry:\n    socket.create_connection(('127.0.0.1', 5432), 1)\nexcept OSError as error:\n    logging.error('connect to 127.0.0.1:5432 failed: %s', error)\nlogging.info('connected to database after 2 attempts')\nlogging.info('worker is ready')\nraise ValueError('job 17 has no owner')\n`,
    ),
    truth: { ids: ['exit-code'], must: ['job 17 has no owner'], mustNot: ['5432'] },
  },
];
