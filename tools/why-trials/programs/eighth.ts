/** Trials of the eighth batch that is held out: servers of chat, VPN, monitoring and names, build tools of the JVM, and more languages' jobs. */
import type { Trial } from '../trial.ts';
import { type Base, curl, garbage, well } from './healthy-trial.ts';
import { occupied, trial } from './second-servers.ts';

const CONFIG = 'malformed-config exit-code bad-argument missing-setting';
const FILE = 'missing-setting exit-code malformed-config missing-binary';
const PORT = 'port-in-use';
const REFUSED = 'dependency-refused';
const NO_NAME = 'dependency-not-resolved';
const ARGUMENT = 'bad-argument exit-code malformed-config';
const DENIED = 'permission-denied';
const LIBRARY = 'missing-module exit-code missing-setting';
const CODE = 'exit-code';
const conf = (path: string, text: string): Trial['files'] => ({ [path]: `${text}\n` });

const ircd = (text: string): Base => ({
  program: 'inspircd',
  run: 'exec inspircd --runasroot --nofork --config=/etc/app/inspircd.conf',
  files: conf('etc/app/inspircd.conf', text),
});
const IRCD =
  '<server name="irc.shop.example" description="shop" network="shop">\n<admin name="a" nick="a" email="a@shop.example">\n<bind address="127.0.0.1" port="6667" type="clients">\n<connect allow="*">\n<path configdir="/etc/app" datadir="/tmp" logdir="/tmp" runtimedir="/tmp">\n<pid file="/tmp/ircd.pid">';
const znc: Base = { program: 'znc', run: 'exec znc -f -d /data', user: 1000, before: 'chown -R 1000:1000 /data' };
const ZNC =
  'Version = 1.8.2\n<Listener l>\n\tPort = 6697\n\tIPv4 = true\n\tIPv6 = false\n\tSSL = false\n</Listener>\n<User a>\n\tPass = plain#a#\n\tAdmin = true\n</User>';
const zncConf = (text: string): Partial<Trial> => ({ files: conf('data/configs/znc.conf', text) });
const sslh = (args: string): Base => ({ program: 'sslh', run: `exec sslh --foreground --user root ${args}` });
const ocserv = (text: string): Base => ({
  program: 'ocserv',
  before:
    'mkdir -p /etc/app /run; cd /etc/app; openssl req -x509 -newkey rsa:2048 -nodes -keyout k.pem -out c.pem -days 2 -subj /CN=a 2>/dev/null',
  run: 'exec ocserv -f -d 1 -c /etc/app/ocserv.conf',
  files: conf('etc/app/ocserv.conf', text),
});
const OCSERV =
  'auth = "plain[passwd=/etc/app/users]"\ntcp-port = 4443\nrun-as-user = nobody\nrun-as-group = nogroup\nsocket-file = /run/ocserv.sock\nserver-cert = /etc/app/c.pem\nserver-key = /etc/app/k.pem\nisolate-workers = false\nmax-clients = 4\nmax-same-clients = 2\ndevice = vpns\nipv4-network = 10.9.0.0\nipv4-netmask = 255.255.255.0\nkeepalive = 300\npid-file = /run/o.pid';
const gdnsd = (text: string): Base => ({
  program: 'gdnsd',
  before: 'mkdir -p /run/gdnsd /var/lib/gdnsd /etc/app/zones',
  run: 'exec gdnsd -c /etc/app -D start',
  files: conf('etc/app/config', text),
});
const GDNSD = 'options => { listen => 127.0.0.1:5300, run_dir => /run/gdnsd, state_dir => /var/lib/gdnsd }';
const icinga = (text: string): Base => ({
  program: 'icinga2',
  before: 'mkdir -p /run/icinga2 /var/lib/icinga2 /var/log/icinga2 /var/cache/icinga2 /var/spool/icinga2',
  run: 'exec /usr/lib/x86_64-linux-gnu/icinga2/sbin/icinga2 daemon -c /etc/app/icinga2.conf -DConfiguration.RunAsUser=root -DConfiguration.RunAsGroup=root',
  files: conf('etc/app/icinga2.conf', text),
});
const ICINGA = 'const NodeName = "trial"\nobject Endpoint NodeName { }\nobject Zone "z" { endpoints = [ NodeName ] }';
const crowdsec = (more: Partial<Trial> = {}): Base => ({
  program: 'crowdsec',
  run: 'exec crowdsec -c /etc/crowdsec/config.yaml',
  ...more,
});
const ACTIVEMQ = (text: string): string =>
  `import org.apache.activemq.broker.*;\npublic class Main {\n  public static void main(String[] a) throws Exception {\n    BrokerService b = new BrokerService(); b.setUseJmx(false); b.setPersistent(false);\n${text}\n    b.start(); b.waitUntilStarted(); System.out.println("broker runs"); Thread.sleep(600000);\n  }\n}\n`;
const JARS = '/app:/usr/share/java/*:/usr/share/activemq/lib/*';
const activemq = (text: string): Base => ({
  program: 'activemq',
  before: `cd /app && javac -cp '${JARS}' Main.java`,
  run: `exec java -cp '${JARS}' Main`,
  files: { 'app/Main.java': ACTIVEMQ(text) },
});

const servers: readonly Trial[] = [
  trial(ircd(IRCD), 'port-taken', 'port', [PORT, '6667'], { before: occupied(6667, 'AF_INET', '127.0.0.1') }),
  trial(ircd(IRCD), 'no-config', 'file', [FILE, '/etc/app/none.conf'], {
    run: 'exec inspircd --runasroot --nofork --config=/etc/app/none.conf',
  }),
  trial(ircd(`${IRCD}\n<module name="ledgr">`), 'no-module', 'library', [`${LIBRARY} malformed-config`, 'ledgr']),
  trial(ircd(`${IRCD}\n<oper name="a"`), 'unclosed', 'config', [CONFIG, 'inspircd.conf']),
  trial(znc, 'no-config', 'file', [FILE, '/data/configs/znc.conf']),
  trial(znc, 'port-taken', 'port', [PORT, '6697'], { ...zncConf(ZNC), before: `${znc.before}; ${occupied(6697)}` }),
  trial(znc, 'unclosed', 'config', [CONFIG, 'user'], zncConf(ZNC.replace('</User>', ''))),
  trial(sslh('--listen=127.0.0.1:8443'), 'no-target', 'config', [CONFIG, 'protocol']),
  trial(sslh('--listen=127.0.0.1:8443 --ssh=127.0.0.1:2222'), 'port-taken', 'port', [PORT, '8443'], {
    before: occupied(8443, 'AF_INET', '127.0.0.1'),
  }),
  trial(sslh('--listen=127.0.0.1:8443 --ssh=ssh.shop.svc:2222'), 'no-name', 'peer', [NO_NAME, 'ssh.shop.svc']),
  trial(sslh('-F/etc/app/none.cfg'), 'no-config', 'file', [FILE, '/etc/app/none.cfg']),
  trial(ocserv(OCSERV.replace('/etc/app/c.pem', '/etc/app/none.pem')), 'no-certificate', 'tls', [
    FILE,
    '/etc/app/none.pem',
  ]),
  trial(ocserv(OCSERV), 'no-config', 'file', [FILE, '/etc/app/none.conf'], {
    run: 'exec ocserv -f -d 1 -c /etc/app/none.conf',
  }),
  trial(ocserv(OCSERV), 'port-taken', 'port', [PORT, '4443'], {
    before: `${ocserv('').before}; touch users; ${occupied(4443)}`,
  }),
  trial(gdnsd(GDNSD.replace('listen', 'lisen')), 'unknown-option', 'config', [CONFIG, 'lisen']),
  trial(gdnsd(GDNSD), 'port-taken', 'port', [PORT, '5300'], {
    before: `${gdnsd('').before}; ${occupied(5300, 'AF_INET', '127.0.0.1')}`,
  }),
  trial(gdnsd(GDNSD), 'bad-zone', 'config', [CONFIG, 'shop.example'], {
    files: { 'etc/app/config': `${GDNSD}\n`, 'etc/app/zones/shop.example': '@ SOA ns1 root 1 2 3\n' },
  }),
  trial(icinga(`${ICINGA}\nobject Host "a" { check_comand = "x" }`), 'unknown-attribute', 'config', [
    CONFIG,
    'check_comand',
  ]),
  trial(icinga(`${ICINGA}\nobject Host "a" {`), 'syntax', 'config', [CONFIG, '/etc/app/icinga2.conf']),
  trial(icinga(`${ICINGA}\ninclude "none.conf"`), 'no-include', 'file', [FILE, 'none.conf']),
  trial(crowdsec({ run: 'exec crowdsec -c /etc/app/none.yaml' }), 'no-config', 'file', [FILE, '/etc/app/none.yaml']),
  trial(
    crowdsec({ run: 'exec crowdsec -c /etc/app/c.yaml', files: conf('etc/app/c.yaml', 'common:\n  log_levl: [') }),
    'bad-yaml',
    'config',
    [CONFIG, '/etc/app/c.yaml'],
  ),
  trial(activemq('    b.addConnector("tcp://127.0.0.1:61616");'), 'port-taken', 'port', [PORT, '61616'], {
    before: `${activemq('').before}; ${occupied(61_616, 'AF_INET', '127.0.0.1')}`,
  }),
  trial(
    activemq('    b.addNetworkConnector("statc://x"); b.addConnector("ledgr://127.0.0.1:61616");'),
    'unknown-transport',
    'config',
    [`${CONFIG} missing-module`, 'statc'],
  ),
  trial(
    activemq(
      '    new org.apache.activemq.ActiveMQConnectionFactory("tcp://127.0.0.1:61617").createConnection().start();',
    ),
    'peer-refused',
    'peer',
    [REFUSED, '127.0.0.1:61617'],
  ),
  trial(
    activemq(
      '    new org.apache.activemq.ActiveMQConnectionFactory("tcp://mq.shop.svc:61617").createConnection().start();',
    ),
    'no-name',
    'peer',
    [NO_NAME, 'mq.shop.svc'],
  ),
];

const POM = (more: string): string =>
  `<project><modelVersion>4.0.0</modelVersion><groupId>shop</groupId><artifactId>cart</artifactId><version>1</version>${more}</project>\n`;
const mvn = (pom: string, goal = 'validate'): Base => ({
  program: 'maven',
  run: `cd /app; export M2_HOME=/usr/share/maven; exec java -classpath /usr/share/maven/boot/plexus-classworlds-2.x.jar:/usr/share/java/plexus-classworlds.jar -Dclassworlds.conf=/usr/share/maven/bin/m2.conf -Dmaven.home=/usr/share/maven -Dmaven.multiModuleProjectDirectory=/app org.codehaus.plexus.classworlds.launcher.Launcher -o -B ${goal}`,
  before: 'mkdir -p /etc/maven; cp -rn /usr/share/maven/conf /etc/maven 2>/dev/null || true',
  files: conf('app/pom.xml', pom),
});
const groovy = (text: string): Base => ({
  program: 'groovy',
  run: "exec java -cp '/usr/share/java/*:/usr/share/groovy/lib/*' groovy.ui.GroovyMain /app/main.groovy",
  files: conf('app/main.groovy', text),
});
const gcc = (program: string, files: Trial['files'], run: string): Base => ({ program, run, files });
const NODE = 'export PATH=$PATH:/opt/node/node_modules/.bin NODE_PATH=/opt/node/node_modules';
const js = (program: string, text: string, more: Partial<Trial> = {}): Base => ({
  program,
  before: 'ln -sfn /opt/node/node_modules /app/node_modules',
  run: `${NODE}; exec node /app/server.js`,
  files: conf('app/server.js', text),
  ...more,
});
const YARGS =
  "require('yargs')(process.argv.slice(2)).option('ledger', { demandOption: true, type: 'string' }).strict().parse();\nconsole.log('runs');\nsetTimeout(() => process.exit(1), 500);";
const py = (program: string, text: string, more: Partial<Trial> = {}): Base => ({
  program,
  run: 'exec python3 /app/main.py',
  files: conf('app/main.py', text),
  ...more,
});
const CLICK =
  "import click\n@click.command()\n@click.option('--ledger', required=True)\n@click.option('--count', type=int)\n@click.argument('file', type=click.File('r'), required=False)\ndef main(ledger, count, file): raise SystemExit(1)\nmain()";
const SCHEMA =
  "import json, jsonschema\njsonschema.validate(json.load(open('/app/settings.json')), {'type': 'object', 'required': ['ledgerUrl'], 'properties': {'port': {'type': 'integer'}}})\nraise SystemExit(1)";
const settings = (text: string): Partial<Trial> => ({
  files: { 'app/main.py': `${SCHEMA}\n`, 'app/settings.json': `${text}\n` },
});

const jobs: readonly Trial[] = [
  trial(mvn(POM('').replace('</project>', '')), 'bad-pom', 'config', [CONFIG, '/app/pom.xml']),
  trial(mvn(POM(''), 'pakage'), 'unknown-phase', 'config', ['exit-code bad-argument', 'pakage']),
  trial(
    mvn(POM('<parent><groupId>shop</groupId><artifactId>base</artifactId><version>7</version></parent>')),
    'no-parent',
    'library',
    [`${LIBRARY} malformed-config`, 'shop:base'],
  ),
  trial(
    mvn(
      POM(
        '<dependencies><dependency><groupId>shop</groupId><artifactId>ledger</artifactId></dependency></dependencies>',
      ),
    ),
    'no-version',
    'config',
    [CONFIG, 'ledger'],
  ),
  trial(
    groovy('def port = new ServerSocket(8080, 1, InetAddress.getByName("127.0.0.1"))'),
    'port-taken',
    'port',
    [PORT, ''],
    { before: occupied(8080, 'AF_INET', '127.0.0.1') },
  ),
  trial(groovy('println new File("/etc/app/tariffs.json").text'), 'missing-file', 'file', [
    FILE,
    '/etc/app/tariffs.json',
  ]),
  trial(groovy('println total(17)'), 'no-method', 'code', [CODE, 'total']),
  trial(groovy('new Socket("ledger.shop.svc", 80)'), 'no-name', 'peer', [NO_NAME, 'ledger.shop.svc']),
  trial(
    groovy('def url = System.getenv("LEDGER_URL")\nif (!url) throw new IllegalStateException("LEDGER_URL is not set")'),
    'no-variable',
    'config',
    ['missing-setting exit-code', 'LEDGER_URL'],
  ),
  trial(
    gcc(
      'ninja',
      conf('app/build.ninja', 'rule cc\n  command = gcc -c $in -o $out\nbuild cart.o: cc cart.c'),
      'cd /app; exec ninja',
    ),
    'missing-source',
    'file',
    [FILE, 'cart.c'],
  ),
  trial(
    gcc(
      'ninja',
      {
        'app/build.ninja': 'rule cc\n  command = gcc -c $in -o $out\nbuild cart.o: cc cart.c\n',
        'app/cart.c': 'int main(void) { return totl; }\n',
      },
      'cd /app; exec ninja',
    ),
    'compile-error',
    'code',
    [CODE, 'cart.c'],
  ),
  trial(gcc('ninja', conf('app/build.ninja', 'rulle cc'), 'cd /app; exec ninja'), 'syntax', 'config', [
    CONFIG,
    'build.ninja',
  ]),
  trial(
    gcc(
      'cargo',
      {
        'app/Cargo.toml': '[package]\nname = "shop"\nversion = "0.1.0"\n[dependencies]\nledger = "1"\n',
        'app/src/main.rs': 'fn main() {}\n',
      },
      'cd /app; export CARGO_HOME=/tmp/c; exec cargo build --offline',
    ),
    'no-crate',
    'library',
    [LIBRARY, 'ledger'],
  ),
  trial(
    gcc(
      'cargo',
      {
        'app/Cargo.toml': '[package]\nname = "shop"\nversion = "0.1.0"\n',
        'app/src/main.rs': 'fn main() { let a: u32 = "x"; }\n',
      },
      'cd /app; export CARGO_HOME=/tmp/c; exec cargo build --offline',
    ),
    'compile-error',
    'code',
    [CODE, 'src/main.rs'],
  ),
  trial(gcc('cargo', {}, 'cd /app; export CARGO_HOME=/tmp/c; exec cargo build --offline'), 'no-manifest', 'file', [
    FILE,
    'Cargo.toml',
  ]),
  trial(
    gcc(
      'cargo',
      {
        'app/Cargo.toml': '[package]\nname = "shop"\nversion = "0.1.0"\n',
        'app/src/lib.rs': '#[test]\nfn adds_prices() { assert_eq!(1 + 1, 3); }\n',
      },
      'cd /app; export CARGO_HOME=/tmp/c; exec cargo test --offline',
    ),
    'test-fails',
    'code',
    [CODE, 'adds_prices'],
  ),
  trial(js('yargs', YARGS), 'missing-option', 'config', ['bad-argument missing-setting exit-code', 'ledger']),
  trial(
    js('yargs', YARGS, { run: `${NODE}; exec node /app/server.js --ledger a --cont 3` }),
    'unknown-option',
    'config',
    [ARGUMENT, 'cont'],
  ),
  trial(
    js(
      'undici',
      "const { request } = require('undici');\nrequest('http://127.0.0.1:8081/').catch((e) => { console.error('the ledger did not answer', e); process.exit(1); });",
    ),
    'refused',
    'peer',
    [REFUSED, '127.0.0.1:8081'],
  ),
  trial(
    js('undici', "fetch('http://ledger.shop.svc:8081/').catch((e) => { console.error(e); process.exit(1); });"),
    'no-name',
    'peer',
    [NO_NAME, 'ledger.shop.svc'],
  ),
  trial(
    js(
      'undici',
      "const http = require('http');\nhttp.createServer((q, s) => { s.statusCode = 401; s.end(); }).listen(8081, '127.0.0.1', async () => { const r = await fetch('http://127.0.0.1:8081/'); if (!r.ok) throw new Error(`ledger answers ${r.status} ${r.statusText}`); });",
    ),
    'unauthorized',
    'authentication',
    ['authentication-refused exit-code', '401'],
  ),
  trial(
    js('babel', '', {
      run: `${NODE}; exec node -e "require('@babel/core').transformFileSync('/app/server.js', { babelrc: false })"`,
      files: conf('app/server.js', 'const total = (1 + ;'),
    }),
    'syntax',
    'code',
    [`${CODE} malformed-config`, '/app/server.js'],
  ),
  trial(
    js('babel', '', {
      run: `${NODE}; exec node -e "require('@babel/core').transformFileSync('/app/server.js', { presets: ['ledger'] })"`,
      files: conf('app/server.js', 'a()'),
    }),
    'no-preset',
    'library',
    [LIBRARY, 'ledger'],
  ),
  trial(
    js(
      'ioredis-cluster',
      "const Redis = require('ioredis');\nnew Redis.Cluster([{ host: '127.0.0.1', port: 7000 }], { clusterRetryStrategy: () => null }).get('a').catch((e) => { console.error('cache is away:', e.message, e.lastNodeError); process.exit(1); });",
    ),
    'refused',
    'peer',
    [`${REFUSED} exit-code`, 'startup nodes'],
  ),
  trial(py('click', CLICK), 'missing-option', 'config', ['bad-argument missing-setting exit-code', '--ledger']),
  trial(py('click', CLICK, { run: 'exec python3 /app/main.py --ledger a --count eighty' }), 'bad-value', 'config', [
    ARGUMENT,
    'eighty',
  ]),
  trial(py('click', CLICK, { run: 'exec python3 /app/main.py --ledger a /etc/app/none.csv' }), 'missing-file', 'file', [
    `${FILE} bad-argument`,
    '/etc/app/none.csv',
  ]),
  trial(
    py('jsonschema', SCHEMA),
    'missing-key',
    'config',
    ['exit-code missing-setting malformed-config', 'ledgerUrl'],
    settings('{"port": 1}'),
  ),
  trial(
    py('jsonschema', SCHEMA),
    'wrong-type',
    'config',
    ['exit-code missing-setting malformed-config', 'eighty'],
    settings('{"ledgerUrl": "a", "port": "eighty"}'),
  ),
  trial(py('jsonschema', SCHEMA), 'bad-json', 'file', ['malformed-config exit-code', ''], settings('{"port": 1,,}')),
  trial(py('requests', "import requests\nrequests.get('http://127.0.0.1:8081/')"), 'refused', 'peer', [
    REFUSED,
    '127.0.0.1',
  ]),
  trial(py('requests', "import requests\nrequests.get('http://ledger.shop.svc:8081/', timeout=2)"), 'no-name', 'peer', [
    NO_NAME,
    'ledger.shop.svc',
  ]),
  trial(
    py(
      'requests',
      "import logging, requests\nlogging.basicConfig()\ntry:\n    requests.get('http://127.0.0.1:8081/')\nexcept Exception:\n    logging.exception('ledger is away')\n    raise SystemExit(3)",
    ),
    'logged',
    'peer',
    [REFUSED, '127.0.0.1'],
  ),
  trial(
    py('psycopg-jobs', "import psycopg2\npsycopg2.connect('host=127.0.0.1 port=5433 user=app dbname=shop')"),
    'refused',
    'peer',
    [REFUSED, '127.0.0.1'],
  ),
];

const QUIET = ['quiet', 'true'] as const;
const HTTP_JS =
  "const http = require('http');\nhttp.createServer((q, s) => { if (q.url === '/bad') { console.error(new Error('tariff 17 has no price')); s.statusCode = 500; } s.end('ok'); }).listen(8080, '127.0.0.1', () => console.log('shop is open on 8080'));";
const POLLER =
  "const { request } = require('undici');\nlet n = 0;\nsetInterval(() => request('http://127.0.0.1:8081/').catch((e) => console.error(new Date().toISOString(), 'poll failed', e.code)).finally(() => { n += 1; }), 700);\nconsole.log('poller runs');";
const PY_WORKER =
  "import logging, time, requests\nlogging.basicConfig(format='%(asctime)s %(levelname)s %(message)s', level=logging.INFO)\nlogging.info('worker polls the ledger')\nwhile True:\n    try: requests.get('http://127.0.0.1:8081/')\n    except Exception as e: logging.error('poll failed: %s', e)\n    time.sleep(0.7)";
const healthy: readonly Trial[] = [
  ...well(ircd(IRCD), 4, [
    QUIET,
    ['garbage', garbage(6667)],
    ['client-leaves', "printf 'NICK a\\r\\nUSER a a a a\\r\\n' | nc -w1 127.0.0.1 6667"],
  ]),
  ...well({ ...znc, ...zncConf(ZNC) }, 4, [QUIET, ['garbage', garbage(6697)]]),
  ...well(sslh('--listen=127.0.0.1:8443 --ssh=127.0.0.1:2222'), 2, [
    QUIET,
    ['backend-away', "printf 'SSH-2.0-a\\r\\n' | nc -w1 127.0.0.1 8443"],
    ['garbage', garbage(8443)],
  ]),
  ...well(gdnsd(GDNSD), 3, [QUIET, ['garbage', 'printf nonsense | nc -u -w1 127.0.0.1 5300']]),
  ...well(icinga(ICINGA), 4, [QUIET]),
  ...well(activemq('    b.addConnector("tcp://127.0.0.1:61616");'), 6, [
    QUIET,
    ['garbage', garbage(61_616)],
    ['client-leaves', 'nc -z 127.0.0.1 61616'],
  ]),
  ...well(js('undici', HTTP_JS), 2, [
    ['failing-page', `${curl('http://127.0.0.1:8080/bad')}; ${curl('http://127.0.0.1:8080/')}`],
    ['two-failing-pages', `${curl('http://127.0.0.1:8080/bad')}; ${curl('http://127.0.0.1:8080/bad')}`],
  ]),
  ...well(js('undici', POLLER), 4, [['peer-away', 'true']]),
  ...well(js('undici', POLLER), 4, [
    ['peer-comes', 'nohup python3 -m http.server 8081 --bind 127.0.0.1 >/dev/null 2>&1 & sleep 2'],
  ]),
  ...well(py('requests', PY_WORKER), 4, [
    ['peer-away', 'true'],
    ['peer-comes', 'nohup python3 -m http.server 8081 --bind 127.0.0.1 >/dev/null 2>&1 & sleep 2'],
  ]),
];

export const EIGHTH: readonly Trial[] = [
  ...servers,
  ...jobs,
  ...healthy,
  trial(znc, 'data-denied', 'permission', [`${DENIED} ${FILE}`, '/data'], {
    user: 1000,
    before: 'chmod 700 /data',
    run: 'exec znc -f -d /data',
  }),
];
