/** Trials of the tenth batch that is held out: jobs, checkers and builders, clients on the command line, services of OpenStack, and languages of batches. */
import type { Trial } from '../trial.ts';
import { type Base, curl, well } from './healthy-trial.ts';
import { occupied, trial } from './second-servers.ts';

const CONFIG = 'malformed-config exit-code bad-argument missing-setting';
const FILE = 'missing-setting exit-code malformed-config missing-binary missing-data';
const PORT = 'port-in-use';
const REFUSED = 'dependency-refused';
const NO_NAME = 'dependency-not-resolved';
const ARGUMENT = 'bad-argument exit-code malformed-config missing-setting';
const LIBRARY = 'missing-module exit-code missing-setting';
const CORRUPT = 'corrupt-data exit-code malformed-config missing-data';
const CODE = 'exit-code';
const conf = (path: string, text: string): Trial['files'] => ({ [path]: `${text}\n` });
const job = (program: string, run: string, files: Trial['files'] = {}, more: Partial<Trial> = {}): Base => ({
  program,
  run: `cd /app; exec ${run}`,
  files,
  ...more,
});
const compiled = (program: string, file: string, text: string, command: string, more: Partial<Trial> = {}): Base => ({
  program,
  before: `cd /app; ${command}`,
  run: 'exec /app/job',
  files: conf(`app/${file}`, text),
  ...more,
});
const cobol = (body: string, files = ''): Base =>
  compiled(
    'cobol',
    'job.cob',
    `       IDENTIFICATION DIVISION.\n       PROGRAM-ID. JOB.\n${files}       PROCEDURE DIVISION.\n           DISPLAY "NIGHTLY BILLING STARTS".\n${body}\n           STOP RUN.`,
    'cobc -x -o job job.cob',
  );
const COBOL_FILE =
  '       ENVIRONMENT DIVISION.\n       INPUT-OUTPUT SECTION.\n       FILE-CONTROL.\n           SELECT ORDERS ASSIGN TO "/data/orders.dat"\n           ORGANIZATION IS LINE SEQUENTIAL.\n       DATA DIVISION.\n       FILE SECTION.\n       FD ORDERS.\n       01 ORDER-LINE PIC X(80).\n';
const pascal = (body: string): Base =>
  compiled(
    'pascal',
    'job.pas',
    `program job;\n{$mode objfpc}\nuses SysUtils, Classes;\nvar l: TStringList; n: integer;\nbegin\n  writeln('billing of the night starts');\n  n := 0;\n  l := TStringList.Create;\n${body}\nend.`,
    'F=/usr/lib/x86_64-linux-gnu/fpc/3.2.2/units/x86_64-linux; ppcx64-3.2.2 -n -Fu$F/rtl -Fu$F/rtl-objpas -ojob job.pas',
  );
const vala = (body: string): Base =>
  compiled(
    'vala',
    'job.vala',
    `int main () {\n  message ("billing of the night starts");\n${body}\n  return 1;\n}`,
    'valac -o job --pkg gio-2.0 job.vala',
  );
const fish = (text: string): Base => job('fish', 'fish /app/job.fish', conf('app/job.fish', text));
const S3CFG =
  '[default]\naccess_key = a\nsecret_key = s3cr3t-one\nhost_base = 127.0.0.1:9000\nhost_bucket = 127.0.0.1:9000\nuse_https = False\nmax_retries = 1';
const swift = (text: string): Base =>
  job('swift-proxy', 'swift-proxy-server /etc/app/proxy.conf -v', conf('etc/app/proxy.conf', text));
const mailman = (args: string, text: string): Base =>
  job('mailman3', `mailman -C /etc/app/mailman.cfg ${args}`, conf('etc/app/mailman.cfg', text), {
    user: 1000,
    before: 'mkdir -p /data; chown 1000:1000 /data',
  });
const MAILMAN = '[mailman]\nlayout: data\n[paths.data]\nvar_dir: /data';
const mediawiki = (text: string): Base =>
  job(
    'mediawiki',
    'php /usr/share/mediawiki/maintenance/update.php --quick',
    {
      'etc/app/LocalSettings.php': `<?php\n$wgServer = 'http://wiki.shop.example';\n${text}\n`,
    },
    { env: { MW_CONFIG_FILE: '/etc/app/LocalSettings.php' } },
  );
const SLIM = (route: string): string =>
  `<?php\nrequire '/usr/share/php/Slim/autoload.php';\n$app = new Slim\\App(['settings' => ['displayErrorDetails' => false]]);\n$app->get('/', function ($q, $p) { $p->getBody()->write('ok'); return $p; });\n${route}\n$app->run();\n`;
const slim: Base = job(
  'slim',
  'php -d display_errors=0 -d log_errors=1 -d error_log=/dev/stderr -S 127.0.0.1:8080 /app/index.php',
  {
    'app/index.php': SLIM(
      "$app->get('/bad', function ($q, $p) { throw new RuntimeException('tariff 17 has no price'); });",
    ),
  },
);
const JEKYLL = 'jekyll build --source /app/site --destination /tmp/out --disable-disk-cache';
const jekyll = (files: Trial['files']): Base => job('jekyll', JEKYLL, files);
const puppet = (text: string): Base =>
  job('puppet', 'puppet apply --color=false /app/site.pp', conf('app/site.pp', text), {
    before: 'mkdir -p /sys/block',
  });
const MINITEST =
  "require 'minitest/autorun'\nclass CartTest < Minitest::Test\n  def test_adds_prices = assert_equal(3, 1 + 1)\nend";
const ffmpeg = (args: string, more: Partial<Trial> = {}): Base =>
  job(
    'ffmpeg',
    `ffmpeg -hide_banner -nostdin ${args}`,
    {},
    {
      env: { LD_LIBRARY_PATH: '/usr/lib/x86_64-linux-gnu/blas:/usr/lib/x86_64-linux-gnu/lapack' },
      ...more,
    },
  );
const NODE = 'export PATH=$PATH:/opt/node/node_modules/.bin; cd /app';
const tool = (program: string, command: string, files: Trial['files'] = {}): Base => ({
  program,
  before: 'ln -sfn /opt/node/node_modules /app/node_modules',
  run: `${NODE}; exec ${command}`,
  files,
});

const faults: readonly Trial[] = [
  trial(job('s3cmd', 's3cmd -c /etc/app/none.cfg ls'), 'no-config', 'file', [FILE, '/etc/app/none.cfg']),
  trial(job('s3cmd', 's3cmd -c /etc/app/s3.cfg ls s3://backup', conf('etc/app/s3.cfg', S3CFG)), 'refused', 'peer', [
    `${REFUSED} exit-code`,
    '',
  ]),
  trial(job('pgbadger', 'pgbadger -f stderr -o /tmp/o.html /var/log/none.log'), 'no-log', 'file', [
    FILE,
    '/var/log/none.log',
  ]),
  trial(
    job('mypy', 'mypy --cache-dir=/dev/null app.py', conf('app/app.py', 'def total(a: int) -> str:\n    return a + 1')),
    'type-error',
    'code',
    [CODE, 'app.py:2'],
  ),
  trial(job('flake8', 'flake8 cart.py', conf('app/cart.py', 'import os\nprint(undefned)')), 'finds-faults', 'code', [
    CODE,
    'cart.py',
  ]),
  trial(
    job('pylint', 'pylint --disable=all --enable=E cart.py', conf('app/cart.py', 'print(undefned)')),
    'finds-faults',
    'code',
    [CODE, 'undefned'],
  ),
  trial(job('tox', 'tox -c /app/none.ini'), 'no-config', 'file', [`${FILE} bad-argument`, 'none.ini']),
  trial(ffmpeg('-i /data/none.mp4 /tmp/o.mkv'), 'missing-file', 'file', [FILE, '/data/none.mp4']),
  trial(ffmpeg('-i /data/a.mp4 /tmp/o.mkv', { files: conf('data/a.mp4', 'nonsense') }), 'corrupt', 'data', [
    CORRUPT,
    '/data/a.mp4',
  ]),
  trial(ffmpeg('-f lavfi -i testsrc=duration=1 -c:v libledgr /tmp/o.mkv'), 'no-encoder', 'config', [
    `${CONFIG} missing-module`,
    'libledgr',
  ]),
  trial(ffmpeg('-i rtmp://127.0.0.1:1935/live -f null -'), 'refused', 'peer', [`${REFUSED} exit-code`, '127.0.0.1']),
  trial(job('imagemagick', 'convert-im6.q16 /data/none.png -resize 100 /tmp/o.jpg'), 'missing-file', 'file', [
    FILE,
    '/data/none.png',
  ]),
  trial(
    job('imagemagick', 'convert-im6.q16 /data/a.png -resize 100 /tmp/o.jpg', conf('data/a.png', 'nonsense')),
    'corrupt',
    'data',
    [CORRUPT, '/data/a.png'],
  ),
  trial(
    job('csvkit', 'csvcut -c amount /data/orders.csv', conf('data/orders.csv', 'id,total\n1,2')),
    'no-column',
    'data',
    [`${ARGUMENT} missing-data`, 'amount'],
  ),
  trial(job('miller', 'mlr --icsv --ojson cat /data/none.csv'), 'missing-file', 'file', [FILE, '/data/none.csv']),
  trial(
    job('miller', 'mlr --icsv --ojson cat /data/orders.csv', conf('data/orders.csv', 'id,total\n1,2,3')),
    'broken-line',
    'data',
    [CORRUPT, '/data/orders.csv'],
  ),
  trial(
    job('yamllint', 'yamllint -d relaxed /app/c.yaml', conf('app/c.yaml', 'a: [1, 2\nb: 3')),
    'bad-yaml',
    'config',
    [CONFIG, 'syntax'],
  ),
  trial(
    job('shellcheck', 'shellcheck /app/a.sh', conf('app/a.sh', '#!/bin/sh\nif [ $1 = a ]; then echo a')),
    'finds-faults',
    'code',
    [`${CODE} malformed-config`, '/app/a.sh'],
  ),
  trial(job('xmlstarlet', 'xmlstarlet val -e /app/a.xml', conf('app/a.xml', '<a><b></a>')), 'bad-xml', 'data', [
    CORRUPT,
    '/app/a.xml',
  ]),
  trial(
    job('aptly', 'aptly -config=/etc/app/aptly.conf repo list', conf('etc/app/aptly.conf', '{"rootDir": ')),
    'bad-config',
    'config',
    [CONFIG, ''],
  ),
  trial(job('packer', 'packer build /app/none.pkr.hcl'), 'no-template', 'file', [FILE, '/app/none.pkr.hcl']),
  trial(
    job(
      'packer',
      'packer validate /app/a.pkr.hcl',
      conf('app/a.pkr.hcl', 'source "null" "a" {\n  comunicator = "none"\n}\nbuild { sources = ["null.a"] }'),
    ),
    'unknown-argument',
    'config',
    [CONFIG, 'comunicator'],
  ),
  trial(job('mosquitto-pub', 'mosquitto_pub -h 127.0.0.1 -p 1884 -t a -m b'), 'refused', 'peer', [
    `${REFUSED} exit-code`,
    '',
  ]),
  trial(job('mosquitto-pub', 'mosquitto_pub -h mq.shop.svc -t a -m b'), 'no-name', 'peer', [
    `${NO_NAME} exit-code`,
    '',
  ]),
  trial(job('amqp-tools', 'amqp-publish -u amqp://127.0.0.1:5673 -r orders -b a'), 'refused', 'peer', [
    `${REFUSED} exit-code`,
    '127.0.0.1:5673',
  ]),
  trial(job('ab', 'ab -n 10 http://127.0.0.1:8081/'), 'refused', 'peer', [REFUSED, '']),
  trial(
    job('sphinx-build', 'sphinx-build -W -b html /app/doc /tmp/o', {
      'app/doc/conf.py': 'project = "shop"\n',
      'app/doc/index.rst': 'Shop\n====\n\n.. include:: none.txt\n',
    }),
    'no-include',
    'file',
    [FILE, 'none.txt'],
  ),
  trial(
    job('sphinx-build', 'sphinx-build -b html /app/doc /tmp/o', {
      'app/doc/conf.py': 'extensions = ["ledgr_ext"]\n',
      'app/doc/index.rst': 'Shop\n====\n',
    }),
    'no-extension',
    'library',
    [`${LIBRARY} malformed-config`, 'ledgr_ext'],
  ),
  trial(
    job('lftp', "lftp -c 'set net:max-retries 1; set net:reconnect-interval-base 1; open ftp://127.0.0.1:2121; ls'"),
    'refused',
    'peer',
    [`${REFUSED} exit-code`, ''],
  ),

  trial(swift('[app:proxy-server'), 'bad-config', 'config', [CONFIG, '']),
  trial(
    swift(
      '[DEFAULT]\nbind_port = 8080\n[pipeline:main]\npipeline = proxy-server\n[app:proxy-server]\nuse = egg:swift#proxy',
    ),
    'no-ring',
    'file',
    [FILE, '/etc/swift/container.ring.gz'],
  ),
  trial(job('keystone', 'keystone-manage --config-file /etc/app/none.conf db_sync'), 'no-config', 'file', [
    FILE,
    '/etc/app/none.conf',
  ]),
  trial(
    job(
      'glance',
      'glance-manage --config-file /etc/app/g.conf db_sync',
      conf(
        'etc/app/g.conf',
        '[DEFAULT]\nuse_stderr = true\n[database]\nconnection = mysql+pymysql://g:a@127.0.0.1:3307/g\nmax_retries = 1\nretry_interval = 1',
      ),
    ),
    'refused',
    'peer',
    [REFUSED, '127.0.0.1'],
  ),
  trial(job('buildbot', 'buildbot start --nodaemon /data/none'), 'no-folder', 'file', [FILE, '/data/none']),
  trial(
    job(
      'buildbot',
      'buildbot checkconfig /app/master.cfg',
      conf('app/master.cfg', 'from buildbot.plugins import *\nBuildmasterConfig = {"wrkers": []}'),
    ),
    'unknown-key',
    'config',
    [CONFIG, 'wrkers'],
  ),
  trial(mailman('info', '[mailman'), 'bad-config', 'config', [CONFIG, '']),
  trial(
    mailman(
      'info',
      `${MAILMAN}\n[database]\nclass: mailman.database.postgresql.PostgreSQLDatabase\nurl: postgresql://m:a@127.0.0.1:5433/m`,
    ),
    'refused',
    'peer',
    [REFUSED, '5433'],
  ),

  trial(
    mediawiki(
      "$wgDBtype = 'postgres'; $wgDBserver = '127.0.0.1'; $wgDBport = 5433; $wgDBname = 'wiki'; $wgDBuser = 'wiki'; $wgDBpassword = 'a';",
    ),
    'refused',
    'peer',
    [REFUSED, '5433'],
  ),
  trial(mediawiki("wfLoadExtension( 'Ledgr' );"), 'no-extension', 'library', [
    `${LIBRARY} malformed-config missing-data`,
    'Ledgr',
  ]),
  trial(slim, 'port-taken', 'port', [PORT, '127.0.0.1:8080'], { before: occupied(8080, 'AF_INET', '127.0.0.1') }),
  trial(
    job('phpcs', 'phpcs --standard=PSR12 /app/a.php', { 'app/a.php': '<?php\nfunction a(){return 1;}\n' }),
    'finds-faults',
    'code',
    [CODE, '/app/a.php'],
  ),
  trial(job('phpcs', 'phpcs --standard=Ledgr /app/a.php', { 'app/a.php': '<?php\n' }), 'no-standard', 'config', [
    `${CONFIG} missing-module`,
    'Ledgr',
  ]),
  trial(
    job('roundcube', 'php /usr/share/roundcube/bin/updatedb.sh --package=roundcube --dir=/usr/share/roundcube/SQL', {
      'etc/roundcube/config.inc.php':
        "<?php\n$config['db_dsnw'] = 'pgsql://rc:a@127.0.0.1:5433/rc';\n$config['log_driver'] = 'stdout';\n",
    }),
    'refused',
    'peer',
    [REFUSED, '5433'],
  ),

  trial(jekyll({ 'app/site/_config.yml': 'title: [shop\n' }), 'bad-config', 'config', [CONFIG, 'line 1 column 8']),
  trial(jekyll({ 'app/site/index.md': '---\nlayout: page\n---\n{% include none.html %}\n' }), 'no-include', 'file', [
    FILE,
    'none.html',
  ]),
  trial(jekyll({ 'app/site/_config.yml': 'plugins: [jekyll-ledgr]\n' }), 'no-plugin', 'library', [
    LIBRARY,
    'jekyll-ledgr',
  ]),
  trial(jekyll({ 'app/site/index.md': '---\ntitle: a\n---\n{% if a %}\n' }), 'unclosed-tag', 'code', [
    `${CODE} malformed-config`,
    'index.md',
  ]),
  trial(puppet("file { '/etc/app/none/a': ensure => file, content => 'a' "), 'syntax', 'config', [
    CONFIG,
    '/app/site.pp',
  ]),
  trial(puppet('include shop::ledgr'), 'no-class', 'config', [`${CONFIG} missing-module missing-data`, 'shop::ledgr']),
  trial(
    job(
      'puppet',
      'puppet agent --logdest console --onetime --no-daemonize --no-splay --color=false --server puppet.shop.svc --waitforcert 0',
    ),
    'no-name',
    'peer',
    [NO_NAME, 'puppet.shop.svc'],
  ),
  trial(job('capistrano', 'cap production deploy'), 'no-capfile', 'file', [FILE, 'Capfile']),
  trial(job('bundler', 'bundle exec rake'), 'no-gemfile', 'file', [FILE, 'Gemfile']),
  trial(
    job(
      'bundler',
      'bundle exec ruby -e 1',
      conf('app/Gemfile', "source 'http://127.0.0.1:8081'\ngem 'ledgr', '~> 2.0'"),
    ),
    'no-gem',
    'library',
    [`${LIBRARY} missing-data`, 'ledgr'],
  ),
  trial(job('minitest', 'ruby /app/t.rb', conf('app/t.rb', MINITEST)), 'test-fails', 'code', [
    CODE,
    'test_adds_prices',
  ]),
  trial(
    job('rubocop', 'rubocop --cache false /app/a.rb', conf('app/a.rb', 'def total(a\n  a + 1\nend')),
    'syntax',
    'code',
    [`${CODE} malformed-config`, 'a.rb'],
  ),
  trial(
    job(
      'asciidoctor',
      'asciidoctor --failure-level=WARN -o /tmp/o.html /app/a.adoc',
      conf('app/a.adoc', '= Shop\n\ninclude::none.adoc[]'),
    ),
    'no-include',
    'file',
    [FILE, 'none.adoc'],
  ),

  trial(cobol('           OPEN INPUT ORDERS.\n           CLOSE ORDERS.', COBOL_FILE), 'missing-file', 'file', [
    FILE,
    '/data/orders.dat',
  ]),
  trial(cobol('           CALL "LEDGR".'), 'no-module', 'library', [LIBRARY, 'LEDGR']),
  trial(pascal("  l.LoadFromFile('/etc/app/tariffs.csv');"), 'missing-file', 'file', [FILE, '/etc/app/tariffs.csv']),
  trial(pascal("  n := StrToInt('seventeen');"), 'bad-number', 'data', [CORRUPT, 'seventeen']),
  trial(pascal('  writeln(17 div n);'), 'division', 'code', [CODE, '']),
  trial(
    vala(
      '  try { string text; FileUtils.get_contents ("/etc/app/tariffs.csv", out text); }\n  catch (FileError e) { error ("cannot read the tariffs: %s", e.message); }',
    ),
    'missing-file',
    'file',
    [`${FILE} signal`, '/etc/app/tariffs.csv'],
  ),
  trial(
    vala(
      '  try { new SocketClient ().connect_to_host ("127.0.0.1", 8081); }\n  catch (Error e) { critical ("ledger is away: %s", e.message); }',
    ),
    'refused',
    'peer',
    [REFUSED, '127.0.0.1'],
  ),
  trial(fish('echo billing starts\nledger-export --day today\nor exit 127'), 'no-command', 'binary', [
    'missing-binary exit-code missing-setting',
    'ledger-export',
  ]),
  trial(fish('if test -e /data\n  echo a'), 'unclosed', 'code', [`${CODE} malformed-config`, '/app/job.fish']),

  trial(
    tool(
      'typescript',
      'tsc --noEmit --strict --types "" a.ts',
      conf('app/a.ts', "const total: number = 'seventeen';\nexport { total };"),
    ),
    'type-error',
    'code',
    [CODE, 'a.ts'],
  ),
  trial(
    tool('ava', 'ava', {
      'app/package.json': '{"type": "module"}',
      'app/test.js': "import test from 'ava';\ntest('adds prices', (t) => t.is(1 + 1, 3));\n",
    }),
    'test-fails',
    'code',
    [CODE, 'adds prices'],
  ),
  trial(
    tool('hexo', 'hexo generate', {
      'app/package.json': '{"hexo": {"version": ""}}',
      'app/_config.yml': 'title: [shop\n',
    }),
    'bad-config',
    'config',
    [CONFIG, ''],
  ),
  trial(tool('zx', 'zx /app/a.mjs', conf('app/a.mjs', 'await $`ledger-export --day today`;')), 'no-command', 'binary', [
    'missing-binary exit-code missing-setting',
    'ledger-export',
  ]),
  trial(tool('zx', 'zx /app/none.mjs'), 'no-script', 'file', [`${FILE} missing-module`, '/app/none.mjs']),
  trial(
    tool('astro', 'astro build', {
      'app/package.json': '{"type": "module"}',
      'app/astro.config.mjs': "import ledgr from 'astro-ledgr';\nexport default { integrations: [ledgr()] };\n",
    }),
    'no-integration',
    'library',
    [LIBRARY, 'astro-ledgr'],
  ),
];

const healthy: readonly Trial[] = [
  ...well(slim, 3, [
    ['failing-page', `${curl('http://127.0.0.1:8080/bad')}; ${curl('http://127.0.0.1:8080/')}`],
    ['not-found', curl('http://127.0.0.1:8080/none')],
  ]),
  ...well(
    tool(
      'pm2-runtime',
      'pm2-runtime start /app/w.js',
      conf(
        'app/w.js',
        "let n = 0;\nconsole.log('worker starts');\nsetInterval(() => { n += 1; if (n === 2) throw new Error('tariff 17 has no price'); }, 600);",
      ),
    ),
    8,
    [['worker-restarts', 'true']],
  ),
  ...well(
    fish(
      'while true\n  curl -sS http://127.0.0.1:8081/orders; or echo "poll failed, the next one is in 1 s"\n  sleep 1\nend',
    ),
    4,
    [['peer-away', 'true']],
  ),
];

export const TENTH_JOBS: readonly Trial[] = [...faults, ...healthy];
