/** Trials of the programs that are held out: Ruby, PHP, Rust, HAProxy, RabbitMQ, Mosquitto, Prometheus, Unbound. */
import { CLIENT_FAULTS as f } from '../peers.ts';
import type { Trial } from '../trial.ts';

const rb = (text: string): Trial['files'] => ({ 'app/main.rb': `$stdout.sync = true\nputs 'starting'\n${text}\n` });
const ruby = { program: 'ruby', run: 'exec ruby main.rb' };
const PG = (host: string, password: string, database: string, sql = 'select 1'): string =>
  `require 'pg'\nc = PG.connect(host: '${host}', user: 'app', password: '${password}', dbname: '${database}')\nc.exec('${sql}')`;
const rubyTrials: readonly Trial[] = [
  { ...ruby, ...f.pgRefused, files: rb(PG('127.0.0.1', 'x', 'shop')) },
  { ...ruby, ...f.pgNoName, files: rb(PG('db.shop.svc', 'x', 'shop')) },
  { ...ruby, ...f.pgPassword, files: rb(PG('127.0.0.1', 's3cr3t-wrong', 'postgres')) },
  { ...ruby, ...f.pgNoDatabase, files: rb(PG('127.0.0.1', 'right', 'orders')) },
  { ...ruby, ...f.pgNoTable, files: rb(PG('127.0.0.1', 'right', 'postgres', 'select * from invoices')) },
  { ...ruby, ...f.redisRefused, files: rb(`require 'redis'\nRedis.new(url: 'redis://127.0.0.1:6379').ping`) },
  {
    ...ruby,
    ...f.redisPassword,
    files: rb(`require 'redis'\nRedis.new(url: 'redis://:s3cr3t-wrong@127.0.0.1:6379').ping`),
  },
  { ...ruby, ...f.httpRefused, files: rb(`require 'net/http'\nNet::HTTP.get(URI('http://127.0.0.1:8081/health'))`) },
  { ...ruby, ...f.selfSigned, files: rb(`require 'net/http'\nNet::HTTP.get(URI('https://127.0.0.1:8443/'))`) },
  { ...ruby, ...f.portTaken, files: rb(`require 'socket'\nTCPServer.new('0.0.0.0', 8080)`) },
  {
    ...ruby,
    ...f.portTaken,
    name: 'puma-port',
    run: 'exec puma -b tcp://0.0.0.0:8080 config.ru',
    files: { 'app/config.ru': 'run ->(env) { [200, {}, []] }\n' },
  },
  {
    ...ruby,
    ...f.missingModule('sidekiq'),
    name: 'puma-module',
    run: 'exec puma -b tcp://0.0.0.0:8080 config.ru',
    files: { 'app/config.ru': `require 'sidekiq'\nrun ->(env) { [200, {}, []] }\n` },
  },
  { ...ruby, ...f.fileDenied, files: rb(`File.open('/data/state.db', 'a')`) },
  { ...ruby, ...f.readOnly, files: rb(`File.write('/data/cache.json', '{}')`) },
  { ...ruby, ...f.fullVolume, files: rb(`File.binwrite('/data/upload.bin', '0' * 3_000_000)`) },
  { ...ruby, ...f.missingFile, files: rb(`require 'json'\nJSON.parse(File.read('/etc/app/settings.json'))`) },
  {
    ...ruby,
    ...f.malformedFile,
    files: {
      ...rb(`require 'json'\nJSON.parse(File.read('/etc/app/settings.json'))`),
      'etc/app/settings.json': '{"port": 8080,\n}',
    },
  },
  { ...ruby, ...f.missingVariable, files: rb(`ENV.fetch('DATABASE_URL')`) },
  { ...ruby, ...f.missingModule('sidekiq'), files: rb(`require 'sidekiq'`) },
  {
    ...ruby,
    name: 'nil-method',
    family: 'code',
    files: rb(`def plan = nil\nputs plan.price`),
    truth: { ids: ['exit-code'], must: ["undefined method `price' for nil"] },
  },
  {
    ...ruby,
    name: 'cause-chain',
    family: 'code',
    files: rb(`begin\n  Integer('eleven')\nrescue ArgumentError\n  raise 'workers cannot be counted'\nend`),
    truth: { ids: ['exit-code'], must: ['workers cannot be counted'] },
  },
  {
    ...ruby,
    name: 'syntax-error',
    family: 'code',
    files: rb(`def a(\n`),
    truth: { ids: ['exit-code'], must: ['syntax error'] },
  },
  {
    ...ruby,
    name: 'abort',
    family: 'config',
    files: rb(`abort 'no tenant is configured'`),
    truth: { ids: ['exit-code', 'missing-setting'], must: ['no tenant is configured'] },
  },
  {
    ...ruby,
    name: 'logger-fatal',
    family: 'peer',
    files: rb(
      `require 'logger'; require 'socket'\nlog = Logger.new($stdout)\nbegin\n  TCPSocket.new('127.0.0.1', 6400)\nrescue SystemCallError => e\n  log.fatal("ledger is away: #{e.message}")\n  exit 2\nend`,
    ),
    truth: { ids: ['dependency-refused'], must: ['127.0.0.1', '6400'] },
  },
  {
    ...ruby,
    name: 'too-many-files',
    family: 'limit',
    run: 'ulimit -n 20; exec ruby main.rb',
    files: rb(`keep = 100.times.map { File.open('/etc/hosts') }`),
    truth: { ids: ['too-many-files'], must: [] },
  },
  {
    ...ruby,
    name: 'overcome-then-code',
    family: 'code',
    files: rb(
      `warn 'connection to 10.0.0.9:5432 refused, retrying'\nputs 'connected to database'\nputs 'listening on 8080'\n[].fetch(3)`,
    ),
    truth: { ids: ['exit-code'], must: ['index 3 outside'], mustNot: ['10.0.0.9'] },
  },
];

const code = (text: string): Trial['files'] => ({ 'app/main.php': `<?php\necho "starting\\n";\n${text}\n` });
const php = { program: 'php', run: 'exec php main.php' };
const PDO = (dsn: string, user: string, password: string, sql = 'select 1'): string =>
  `$db = new PDO('${dsn}', '${user}', '${password}');\n$db->query('${sql}');`;
const phpTrials: readonly Trial[] = [
  { ...php, ...f.pgRefused, files: code(PDO('pgsql:host=127.0.0.1;dbname=shop', 'app', 'x')) },
  { ...php, ...f.pgNoName, files: code(PDO('pgsql:host=db.shop.svc;dbname=shop', 'app', 'x')) },
  { ...php, ...f.pgPassword, files: code(PDO('pgsql:host=127.0.0.1;dbname=postgres', 'app', 's3cr3t-wrong')) },
  { ...php, ...f.pgNoDatabase, files: code(PDO('pgsql:host=127.0.0.1;dbname=orders', 'app', 'right')) },
  {
    ...php,
    ...f.pgNoTable,
    files: code(PDO('pgsql:host=127.0.0.1;dbname=postgres', 'app', 'right', 'select * from invoices')),
  },
  {
    ...php,
    ...f.mysqlRefused,
    truth: { ids: ['dependency-refused'], must: [] },
    files: code(PDO('mysql:host=127.0.0.1;dbname=shop', 'app', 'x')),
  },
  {
    ...php,
    ...f.redisRefused,
    truth: { ids: ['dependency-refused'], must: [] },
    files: code(`$r = new Redis();\n$r->connect('127.0.0.1', 6379);`),
  },
  {
    ...php,
    ...f.redisPassword,
    files: code(`$r = new Redis();\n$r->connect('127.0.0.1', 6379);\n$r->auth('s3cr3t-wrong');`),
  },
  { ...php, ...f.portTaken, run: 'exec php -S 0.0.0.0:8080', files: code('') },
  { ...php, ...f.fileDenied, files: code(`if (!fopen('/data/state.db', 'a')) exit(1);`) },
  { ...php, ...f.readOnly, files: code(`if (file_put_contents('/data/cache.json', '{}') === false) exit(1);`) },
  { ...php, ...f.missingFile, files: code(`require '/etc/app/settings.json';`) },
  {
    ...php,
    ...f.malformedFile,
    files: {
      ...code(`json_decode(file_get_contents('/etc/app/settings.json'), false, 9, JSON_THROW_ON_ERROR);`),
      'etc/app/settings.json': '{"port": 8080,\n}',
    },
    truth: { ids: ['malformed-config', 'exit-code'], must: ['yntax error'] },
  },
  {
    ...php,
    ...f.missingVariable,
    files: code(
      `if (!getenv('DATABASE_URL')) throw new RuntimeException('Environment variable DATABASE_URL is not set');`,
    ),
  },
  {
    ...php,
    ...f.missingModule('vendor/autoload.php'),
    files: code(`require __DIR__ . '/vendor/autoload.php';`),
    truth: { ids: ['missing-module', 'missing-setting', 'exit-code'], must: ['vendor/autoload.php'] },
  },
  { ...php, ...f.missingModule('Monolog'), name: 'missing-class', files: code(`new Monolog\\Logger('a');`) },
  {
    ...php,
    name: 'undefined-function',
    family: 'code',
    files: code(`mb_strtoupperr('a');`),
    truth: { ids: ['exit-code'], must: ['mb_strtoupperr', 'main.php'] },
  },
  {
    ...php,
    name: 'null-method',
    family: 'code',
    files: code(`$plan = null;\necho $plan->price();`),
    truth: { ids: ['exit-code'], must: ['price() on null'] },
  },
  {
    ...php,
    name: 'syntax-error',
    family: 'code',
    files: code(`if (true {`),
    truth: { ids: ['exit-code'], must: ['syntax error'] },
  },
  {
    ...php,
    name: 'memory-limit',
    family: 'limit',
    run: 'exec php -d memory_limit=8M main.php',
    files: code(`$a = str_repeat('x', 90000000);`),
    truth: { ids: ['heap-exhausted', 'no-memory'], must: ['emory'] },
  },
  {
    ...php,
    name: 'fpm-bad-pool',
    family: 'config',
    run: 'exec php-fpm8.2 -F -y /etc/app/fpm.conf',
    files: { 'etc/app/fpm.conf': '[global]\nerror_log = /dev/stderr\n[www]\nlisten = 9000\npm = dynamc\n' },
    truth: { ids: ['malformed-config', 'exit-code'], must: ['pm'] },
  },
  {
    ...php,
    name: 'fpm-port',
    family: 'port',
    before: 'nohup nc -lk 0.0.0.0 9000 >/dev/null 2>&1 & sleep 0.3',
    run: 'exec php-fpm8.2 -F -R -y /etc/app/fpm.conf',
    files: {
      'etc/app/fpm.conf':
        '[global]\nerror_log = /dev/stderr\n[www]\nuser = app\nlisten = 0.0.0.0:9000\npm = static\npm.max_children = 1\n',
    },
    truth: { ids: ['port-in-use'], must: ['9000'] },
  },
  {
    ...php,
    name: 'overcome-then-code',
    family: 'code',
    files: code(
      `fwrite(STDERR, "connection to 10.0.0.9:5432 refused, retrying\\n");\necho "connected to database\\n";\nintdiv(1, 0);`,
    ),
    truth: { ids: ['exit-code'], must: ['Division by zero'], mustNot: ['10.0.0.9'] },
  },
];

const rs = (body: string, outside = ''): Trial['files'] => ({
  'app/main.rs': `${outside}\nfn main() {\n    println!("starting");\n    ${body}\n}\n`,
});
const RUST = 'rustc -o app main.rs';
const rust = { program: 'rust', run: 'exec ./app', before: RUST };
const built = (before: string): string => `${before}\ncd /app\n${RUST}`;
const rustTrials: readonly Trial[] = [
  {
    ...rust,
    name: 'tcp-refused',
    family: 'peer',
    files: rs('std::net::TcpStream::connect("127.0.0.1:5432").unwrap();'),
    truth: { ids: ['dependency-refused'], must: [] },
  },
  {
    ...rust,
    name: 'tcp-refused-expect',
    family: 'peer',
    files: rs('std::net::TcpStream::connect("127.0.0.1:5432").expect("cannot reach ledger at 127.0.0.1:5432");'),
    truth: { ids: ['dependency-refused'], must: ['127.0.0.1:5432'] },
  },
  {
    ...rust,
    name: 'no-name',
    family: 'peer',
    files: rs('std::net::TcpStream::connect("db.shop.svc:5432").expect("cannot reach db.shop.svc");'),
    truth: { ids: ['dependency-not-resolved'], must: ['db.shop.svc'] },
  },
  {
    ...rust,
    ...f.portTaken,
    before: built(f.portTaken.before),
    truth: { ids: ['port-in-use'], must: [] },
    files: rs('std::net::TcpListener::bind("0.0.0.0:8080").unwrap();'),
  },
  {
    ...rust,
    ...f.fileDenied,
    before: built(f.fileDenied.before),
    files: rs('std::fs::OpenOptions::new().append(true).open("/data/state.db").expect("/data/state.db");'),
  },
  {
    ...rust,
    ...f.missingFile,
    files: rs('std::fs::read_to_string("/etc/app/settings.json").expect("cannot read /etc/app/settings.json");'),
  },
  {
    ...rust,
    ...f.missingVariable,
    files: rs('std::env::var("DATABASE_URL").expect("environment variable DATABASE_URL is not set");'),
  },
  {
    ...rust,
    name: 'main-returns',
    family: 'file',
    files: {
      'app/main.rs':
        'fn main() -> Result<(), Box<dyn std::error::Error>> {\n    let n: u16 = "eleven".parse()?;\n    println!("{n}");\n    Ok(())\n}\n',
    },
    truth: { ids: ['exit-code'], must: ['InvalidDigit', 'ParseIntError'] },
  },
  {
    ...rust,
    name: 'index',
    family: 'code',
    files: rs('let v: Vec<u8> = std::env::args().map(|_| 1).collect(); println!("{}", v[7]);'),
    truth: { ids: ['exit-code'], must: ['index out of bounds', 'main.rs:4'] },
  },
  {
    ...rust,
    name: 'unwrap-none',
    family: 'code',
    files: rs('let n: Option<u8> = None; println!("{}", n.unwrap());'),
    truth: { ids: ['exit-code'], must: ['unwrap()', 'None'] },
  },
  {
    ...rust,
    name: 'overflow',
    family: 'code',
    files: rs('walk(0);', 'fn walk(n: u64) -> u64 { let a = [n; 1000]; walk(a[0] + 1) + a[9] }'),
    truth: { ids: ['exit-code', 'signal'], must: ['overflow'] },
  },
  {
    ...rust,
    name: 'overcome-then-code',
    family: 'code',
    files: rs(
      'eprintln!("ERROR connect to 10.0.0.9:5432 refused, retrying"); println!("connected to database"); panic!("job 17 has no owner");',
    ),
    truth: { ids: ['exit-code'], must: ['job 17 has no owner'], mustNot: ['10.0.0.9'] },
  },
];

/** A listener without SO_REUSEPORT, which some of these servers set. */
const taken = (port: number): string =>
  `nohup python3 -c 'import socket, time\nfor kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):\n    s = socket.socket(socket.AF_INET, kind); s.bind(("0.0.0.0", ${port})); kind == socket.SOCK_STREAM and s.listen(); globals()[f"s{kind}"] = s\ntime.sleep(99)' >/dev/null 2>&1 & sleep 1`;
const mounted = (name: string): Trial['pod'] => ({
  container: { volumeMounts: [{ name: 'conf', mountPath: '/etc/app' }] },
  spec: { volumes: [{ name: 'conf', configMap: { name } }] },
});

const proxy = (text: string): Trial['files'] => ({
  'etc/app/haproxy.cfg': `defaults\n  mode http\n  timeout connect 1s\n  timeout client 1s\n  timeout server 1s\nfrontend web\n  bind 0.0.0.0:8080\n  default_backend shop\nbackend shop\n  server a 127.0.0.1:3000\n${text}\n`,
});
const haproxy = { program: 'haproxy', run: 'exec haproxy -f /etc/app/haproxy.cfg', pod: mounted('haproxy-cfg') };
const haproxyTrials: readonly Trial[] = [
  {
    ...haproxy,
    name: 'port-taken',
    family: 'port',
    before: taken(8080),
    files: proxy(''),
    truth: { ids: ['port-in-use'], must: ['8080'] },
  },
  {
    ...haproxy,
    name: 'unknown-keyword',
    family: 'config',
    files: proxy('  balanc roundrobin'),
    truth: { ids: ['malformed-config'], must: ['/etc/app/haproxy.cfg'] },
  },
  {
    ...haproxy,
    name: 'no-name',
    family: 'peer',
    files: proxy('  server b api.shop.svc:3000'),
    truth: { ids: ['dependency-not-resolved'], must: ['api.shop.svc'] },
  },
  {
    ...haproxy,
    name: 'no-backend',
    family: 'config',
    files: proxy('frontend two\n  bind :8082\n  default_backend nothing'),
    truth: { ids: ['malformed-config', 'exit-code'], must: ['nothing'] },
  },
  {
    ...haproxy,
    name: 'certificate-missing',
    family: 'tls',
    files: proxy('frontend tls\n  bind :8443 ssl crt /etc/tls/shop.pem'),
    truth: { ids: ['missing-setting'], must: ['/etc/tls/shop.pem'] },
  },
  {
    ...haproxy,
    name: 'no-config',
    family: 'file',
    run: 'exec haproxy -f /etc/app/none.cfg',
    truth: { ids: ['missing-setting'], must: ['/etc/app/none.cfg'] },
  },
  {
    ...haproxy,
    name: 'bad-time',
    family: 'config',
    files: proxy('  timeout queue soon'),
    truth: { ids: ['malformed-config', 'exit-code'], must: ['timeout queue'] },
  },
  {
    ...haproxy,
    name: 'privileged-port',
    family: 'permission',
    user: 1000,
    before: 'echo 1024 > /proc/sys/net/ipv4/ip_unprivileged_port_start; sed -i s/8080/80/ /etc/app/haproxy.cfg',
    files: proxy(''),
    truth: { ids: ['permission-denied'], must: ['80'] },
  },
  {
    ...haproxy,
    name: 'bad-user',
    family: 'config',
    files: proxy('global\n  user proxyuser'),
    truth: { ids: ['malformed-config', 'exit-code'], must: ['proxyuser'] },
  },
];

const rabbit = {
  program: 'rabbitmq',
  user: 72,
  run: '/usr/lib/rabbitmq/bin/rabbitmq-server; exit 1',
  seconds: 60,
  env: { RABBITMQ_NODENAME: 'rabbit@localhost', RABBITMQ_LOGS: '-', HOME: '/var/lib/rabbitmq' },
};
const rabbitTrials: readonly Trial[] = [
  {
    ...rabbit,
    name: 'port-taken',
    family: 'port',
    before: 'nohup nc -lk :: 5672 >/dev/null 2>&1 & nohup nc -lk 0.0.0.0 5672 >/dev/null 2>&1 & sleep 0.3',
    truth: { ids: ['port-in-use'], must: ['5672'] },
  },
  {
    ...rabbit,
    name: 'cookie-open',
    family: 'permission',
    before:
      'echo COOKIE > /var/lib/rabbitmq/.erlang.cookie; chown 72 /var/lib/rabbitmq/.erlang.cookie; chmod 644 /var/lib/rabbitmq/.erlang.cookie',
    truth: { ids: ['permission-denied', 'exit-code'], must: ['.erlang.cookie'] },
  },
  {
    ...rabbit,
    name: 'unknown-key',
    family: 'config',
    before: 'echo "listenerz.tcp.default = 5673" > /etc/rabbitmq/rabbitmq.conf',
    truth: { ids: ['malformed-config', 'exit-code'], must: ['listenerz'] },
  },
  {
    ...rabbit,
    name: 'bad-value',
    family: 'config',
    before: 'echo "listeners.tcp.default = many" > /etc/rabbitmq/rabbitmq.conf',
    truth: { ids: ['malformed-config', 'exit-code'], must: ['listeners.tcp.default'] },
  },
  {
    ...rabbit,
    name: 'data-denied',
    family: 'permission',
    before: 'mkdir -p /var/lib/rabbitmq/mnesia; chown 0 /var/lib/rabbitmq/mnesia; chmod 700 /var/lib/rabbitmq/mnesia',
    truth: { ids: ['permission-denied'], must: ['/var/lib/rabbitmq/mnesia'] },
  },
  {
    ...rabbit,
    name: 'certificate-missing',
    family: 'tls',
    before:
      'printf "listeners.ssl.default = 5671\\nssl_options.certfile = /etc/tls/tls.crt\\nssl_options.keyfile = /etc/tls/tls.key\\nssl_options.cacertfile = /etc/tls/ca.crt\\n" > /etc/rabbitmq/rabbitmq.conf',
    truth: { ids: ['missing-setting', 'malformed-config', 'exit-code'], must: ['/etc/tls/'] },
  },
  {
    ...rabbit,
    name: 'unknown-plugin',
    family: 'library',
    before: 'echo "[rabbitmq_no_such_plugin]." > /etc/rabbitmq/enabled_plugins',
    truth: { ids: ['exit-code', 'missing-module'], must: ['rabbitmq_no_such_plugin'] },
  },
];

const mosquitto = { program: 'mosquitto', run: 'exec mosquitto -c /etc/app/mosquitto.conf', pod: mounted('mosquitto') };
const broker = (text: string): Trial['files'] => ({
  'etc/app/mosquitto.conf': `user root\nallow_anonymous true\n${text}\n`,
});
const mosquittoTrials: readonly Trial[] = [
  {
    ...mosquitto,
    name: 'port-taken',
    family: 'port',
    before: taken(1883),
    files: broker('listener 1883 0.0.0.0'),
    truth: { ids: ['port-in-use'], must: [] },
  },
  {
    ...mosquitto,
    name: 'unknown-key',
    family: 'config',
    files: broker('persistance true'),
    truth: { ids: ['malformed-config', 'exit-code'], must: ['persistance'] },
  },
  {
    ...mosquitto,
    name: 'bad-value',
    family: 'config',
    files: broker('max_connections many'),
    truth: { ids: ['malformed-config', 'exit-code'], must: ['max_connections'] },
  },
  {
    ...mosquitto,
    name: 'passwords-missing',
    family: 'file',
    files: broker('listener 1883\npassword_file /etc/secret/passwords'),
    truth: { ids: ['missing-setting', 'exit-code'], must: ['/etc/secret/passwords'] },
  },
  {
    ...mosquitto,
    name: 'certificate-missing',
    family: 'tls',
    files: broker('listener 8883\ncafile /etc/tls/ca.crt\ncertfile /etc/tls/tls.crt\nkeyfile /etc/tls/tls.key'),
    truth: { ids: ['missing-setting', 'exit-code'], must: ['/etc/tls/'] },
  },
  {
    ...mosquitto,
    name: 'no-config',
    family: 'file',
    run: 'exec mosquitto -c /etc/app/none.conf',
    truth: { ids: ['missing-setting'], must: ['/etc/app/none.conf'] },
  },
  {
    ...mosquitto,
    name: 'plugin-missing',
    family: 'library',
    files: broker('listener 1883\nplugin /usr/lib/auth_plugin.so'),
    truth: { ids: ['missing-module', 'missing-setting', 'exit-code'], must: ['/usr/lib/auth_plugin.so'] },
  },
];

const prometheus = {
  program: 'prometheus',
  run: 'exec prometheus --config.file=/etc/app/prometheus.yml --storage.tsdb.path=/data',
  pod: mounted('prometheus'),
};
const prom = (text: string): Trial['files'] => ({
  'etc/app/prometheus.yml': `global:\n  scrape_interval: 15s\n${text}\n`,
});
const prometheusTrials: readonly Trial[] = [
  {
    ...prometheus,
    name: 'port-taken',
    family: 'port',
    before: 'nohup nc -lk :: 9090 >/dev/null 2>&1 & sleep 0.3',
    files: prom(''),
    truth: { ids: ['port-in-use'], must: ['9090'] },
  },
  {
    ...prometheus,
    name: 'unknown-field',
    family: 'config',
    files: prom('scrape_config: []'),
    truth: { ids: ['malformed-config'], must: ['scrape_config'] },
  },
  {
    ...prometheus,
    name: 'bad-yaml',
    family: 'config',
    files: prom('  rule_files:\n - a\n b'),
    truth: { ids: ['malformed-config'], must: ['/etc/app/prometheus.yml'] },
  },
  {
    ...prometheus,
    name: 'no-config',
    family: 'file',
    run: 'exec prometheus --config.file=/etc/app/none.yml',
    truth: { ids: ['missing-setting'], must: ['/etc/app/none.yml'] },
  },
  {
    ...prometheus,
    name: 'unknown-flag',
    family: 'config',
    run: 'exec prometheus --storage.tsdb.retention=15d --storage.tsdb.pathh=/data',
    files: prom(''),
    truth: { ids: ['bad-argument', 'exit-code'], must: ['storage.tsdb.pathh'] },
  },
  {
    ...prometheus,
    name: 'data-denied',
    family: 'permission',
    user: 1000,
    before: 'chmod 755 /data',
    files: prom(''),
    truth: { ids: ['permission-denied'], must: ['/data'] },
  },
  {
    ...prometheus,
    name: 'read-only',
    family: 'permission',
    before: 'mount -t tmpfs -o ro none /data',
    files: prom(''),
    truth: { ids: ['read-only-file-system'], must: ['/data'] },
  },
  {
    ...prometheus,
    name: 'locked',
    family: 'lock',
    before:
      'printf "" > /data/lock; nohup prometheus --config.file=/etc/app/prometheus.yml --storage.tsdb.path=/data --web.listen-address=:9191 >/dev/null 2>&1 & sleep 3',
    run: 'exec prometheus --config.file=/etc/app/prometheus.yml --storage.tsdb.path=/data',
    files: prom(''),
    truth: { ids: ['already-running', 'exit-code'], must: ['lock'] },
  },
  {
    ...prometheus,
    name: 'bad-rule',
    family: 'config',
    files: {
      ...prom('rule_files:\n  - /etc/app/rules.yml'),
      'etc/app/rules.yml': 'groups:\n- name: a\n  rules:\n  - record: x\n    expr: sum(\n',
    },
    truth: { ids: ['malformed-config', 'exit-code'], must: ['/etc/app/rules.yml'] },
  },
];

const unbound = { program: 'unbound', run: 'exec unbound -d -c /etc/app/unbound.conf', pod: mounted('unbound') };
const dns = (text: string): Trial['files'] => ({
  'etc/app/unbound.conf': `server:\n  chroot: ""\n  username: ""\n  use-syslog: no\n  logfile: ""\n  do-daemonize: no\n  pidfile: ""\n  interface: 127.0.0.1\n${text}\nremote-control:\n  control-enable: no\n`,
});
const unboundTrials: readonly Trial[] = [
  {
    ...unbound,
    name: 'port-taken',
    family: 'port',
    before: taken(53),
    files: dns(''),
    truth: { ids: ['port-in-use'], must: ['53'] },
  },
  {
    ...unbound,
    name: 'unknown-key',
    family: 'config',
    files: dns('  num-treads: 2'),
    truth: { ids: ['malformed-config', 'exit-code'], must: ['num-treads'] },
  },
  {
    ...unbound,
    name: 'no-config',
    family: 'file',
    run: 'exec unbound -d -c /etc/app/none.conf',
    truth: { ids: ['missing-setting'], must: ['/etc/app/none.conf'] },
  },
  {
    ...unbound,
    name: 'key-missing',
    family: 'tls',
    files: dns(
      '  tls-service-key: /etc/tls/tls.key\n  tls-service-pem: /etc/tls/tls.crt\n  interface: 127.0.0.1@8853\n  tls-port: 8853',
    ),
    truth: { ids: ['missing-setting', 'exit-code'], must: ['/etc/tls/tls.'] },
  },
  {
    ...unbound,
    name: 'bad-address',
    family: 'config',
    files: dns('  interface: 10.99.99.99'),
    truth: { ids: ['address-not-available', 'exit-code'], must: ['10.99.99.99'] },
  },
  {
    ...unbound,
    name: 'anchor-missing',
    family: 'file',
    files: dns('  trust-anchor-file: /etc/app/root.key'),
    truth: { ids: ['missing-setting', 'exit-code'], must: ['/etc/app/root.key'] },
  },
  {
    ...unbound,
    name: 'privileged-port',
    family: 'permission',
    user: 1000,
    before: 'echo 1024 > /proc/sys/net/ipv4/ip_unprivileged_port_start',
    files: dns(''),
    truth: { ids: ['permission-denied'], must: ['53'] },
  },
];

const well = (
  base: Pick<Trial, 'program' | 'run'> & Partial<Trial>,
  waitSeconds: number,
  all: readonly (readonly [name: string, during: string])[],
): readonly Trial[] =>
  all.map(([name, during]) => ({
    ...base,
    name: `well-${name}`,
    family: 'healthy',
    truth: { healthy: true },
    during: `sleep ${waitSeconds}; ${during}; sleep 0.3`,
    seconds: waitSeconds + 3,
  }));
const curl = (url: string): string => `curl -s -o /dev/null ${url}`;
const healthyTrials: readonly Trial[] = [
  ...well({ ...haproxy, files: proxy('') }, 1, [
    ['quiet', 'true'],
    ['upstream-away', curl('http://127.0.0.1:8080/')],
    ['garbage', 'printf "\\x16\\x03" | nc -w1 127.0.0.1 8080'],
  ]),
  ...well({ ...haproxy, files: proxy('  server b 127.0.0.1:3001 check inter 200') }, 2, [
    ['check-fails', curl('http://127.0.0.1:8080/')],
  ]),
  ...well(rabbit, 20, [
    ['quiet', 'true'],
    ['garbage', 'printf "GET / HTTP/1.0\\r\\n\\r\\n" | nc -w1 127.0.0.1 5672'],
    [
      'wrong-password',
      `python3 -c "import pika; pika.BlockingConnection(pika.ConnectionParameters('127.0.0.1', credentials=pika.PlainCredentials('guest', 'wrong')))"`,
    ],
  ]),
  ...well({ ...mosquitto, files: broker('listener 1883') }, 1, [
    ['quiet', 'true'],
    ['garbage', 'printf "GET / HTTP/1.0\\r\\n\\r\\n" | nc -w1 127.0.0.1 1883'],
  ]),
  ...well(
    {
      ...prometheus,
      files: prom(
        'scrape_configs:\n- job_name: a\n  scrape_interval: 1s\n  static_configs:\n  - targets: ["127.0.0.1:9999"]',
      ),
    },
    3,
    [
      ['target-away', 'true'],
      ['bad-query', curl("'http://127.0.0.1:9090/api/v1/query?query=sum('")],
    ],
  ),
  ...well({ ...unbound, files: dns('') }, 1, [
    ['quiet', 'true'],
    ['upstream-away', 'getent ahosts shop.example'],
  ]),
];

export const HELD_OUT_TRIALS: readonly Trial[] = [
  ...rubyTrials,
  ...phpTrials,
  ...rustTrials,
  ...haproxyTrials,
  ...rabbitTrials,
  ...mosquittoTrials,
  ...prometheusTrials,
  ...unboundTrials,
  ...healthyTrials,
];
