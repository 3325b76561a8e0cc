/** Trials of the ninth batch that is held out: jobs, clients on the command line, test runners and build tools. */
import type { Trial } from '../trial.ts';
import type { Base } from './healthy-trial.ts';
import { trial } from './second-servers.ts';

const CONFIG = 'malformed-config exit-code bad-argument missing-setting';
const FILE = 'missing-setting exit-code malformed-config missing-binary missing-data';
const REFUSED = 'dependency-refused';
const NO_NAME = 'dependency-not-resolved';
const LIBRARY = 'missing-module exit-code missing-setting';
const CODE = 'exit-code';
const conf = (path: string, text: string): Trial['files'] => ({ [path]: `${text}\n` });
const job = (program: string, run: string, files: Trial['files'] = {}): Base => ({ program, run, files });
const NODE = 'export PATH=$PATH:/opt/node/node_modules/.bin; cd /app';
const js = (program: string, run: string, files: Trial['files']): Base => ({
  program,
  before: 'ln -sfn /opt/node/node_modules /app/node_modules',
  run: `${NODE}; exec ${run}`,
  files,
});
const FEATURE = 'Feature: cart\n  Scenario: adds prices\n    Given two prices\n    Then the sum is 3';
const STEPS =
  "from behave import given, then\n@given('two prices')\ndef _(c): c.sum = 1 + 1\n@then('the sum is 3')\ndef _(c): assert c.sum == 3, 'the sum is %d' % c.sum";

export const NINTH_JOBS: readonly Trial[] = [
  trial(job('ssh', 'exec ssh -o BatchMode=yes -p 2222 app@127.0.0.1 true'), 'refused', 'peer', [REFUSED, '2222']),
  trial(job('ssh', 'exec ssh -o BatchMode=yes app@bastion.shop.svc true'), 'no-name', 'peer', [
    NO_NAME,
    'bastion.shop.svc',
  ]),
  trial(job('ldapsearch', 'exec ldapsearch -x -H ldap://127.0.0.1:3890 -b dc=shop'), 'refused', 'peer', [
    `${REFUSED} exit-code`,
    'LDAP',
  ]),
  trial(
    job(
      'jq',
      'set -e; echo reading the order; jq .total /app/order.json; echo done',
      conf('app/order.json', '{"total": 17,,}'),
    ),
    'bad-json',
    'file',
    ['malformed-config exit-code corrupt-data', 'line 1'],
  ),
  trial(job('jq', 'set -e; jq .total /app/none.json'), 'missing-file', 'file', [FILE, '/app/none.json']),
  trial(job('gpg', 'exec gpg --batch --import /etc/app/none.asc'), 'missing-file', 'file', [FILE, '/etc/app/none.asc']),
  trial(job('logrotate', 'exec logrotate -s /tmp/s /etc/app/none.conf'), 'no-config', 'file', [
    FILE,
    '/etc/app/none.conf',
  ]),
  trial(job('rsnapshot', 'exec rsnapshot -c /etc/app/none.conf alpha'), 'no-config', 'file', [
    FILE,
    '/etc/app/none.conf',
  ]),
  trial(job('duplicity', 'exec duplicity full --no-encryption /data/none file:///data/b'), 'missing-folder', 'file', [
    FILE,
    '/data/none',
  ]),
  trial(
    job('pgloader', 'exec pgloader mysql://app@127.0.0.1:3307/shop postgresql://app@127.0.0.1:5433/shop'),
    'refused',
    'peer',
    [`${REFUSED} exit-code`, '5433'],
  ),
  trial(job('mydumper', 'exec mydumper -h 127.0.0.1 -P 3307 -u app -o /data/d'), 'refused', 'peer', [
    REFUSED,
    '127.0.0.1',
  ]),
  trial(job('msmtp', 'echo a | msmtp --host=127.0.0.1 --port=2525 --from=a@b.c c@d.e'), 'refused', 'peer', [
    REFUSED,
    '2525',
  ]),
  trial(job('msmtp', 'echo a | msmtp --host=mail.shop.svc --port=2525 --from=a@b.c c@d.e'), 'no-name', 'peer', [
    NO_NAME,
    'mail.shop.svc',
  ]),
  trial(job('xsltproc', 'exec xsltproc /app/a.xsl /app/none.xml', conf('app/a.xsl', '<a/>')), 'missing-file', 'file', [
    FILE,
    '/app/',
  ]),
  trial(job('qpdf', 'exec qpdf /app/none.pdf /tmp/o.pdf'), 'missing-file', 'file', [FILE, '/app/none.pdf']),
  trial(job('unzip', 'exec unzip -q /app/none.zip'), 'missing-file', 'file', [FILE, '/app/none.zip']),
  trial(job('unzip', 'exec unzip -q /app/order.zip', conf('app/order.zip', 'nonsense')), 'corrupt', 'data', [
    'corrupt-data exit-code malformed-config missing-data missing-setting',
    'order.zip',
  ]),
  trial(job('dig', 'exec dig +tries=1 +time=1 @127.0.0.1 -p 5300 db.shop.svc'), 'refused', 'peer', [
    `${REFUSED} dependency-times-out exit-code`,
    '127.0.0.1',
  ]),
  trial(
    job('bats', 'exec bats /app/cart.bats', conf('app/cart.bats', '@test "adds prices" {\n  [ "$((1 + 1))" = 3 ]\n}')),
    'test-fails',
    'code',
    [CODE, 'adds prices'],
  ),
  trial(
    job(
      'etcdctl',
      'export ETCDCTL_API=3; exec etcdctl --endpoints=127.0.0.1:2379 --dial-timeout=2s --command-timeout=2s get a',
    ),
    'refused',
    'peer',
    [`${REFUSED} dependency-times-out`, '127.0.0.1:2379'],
  ),
  trial(
    job(
      'lego',
      'exec lego --path /tmp/l --email a@b.c --domains shop.example --http --accept-tos --server http://127.0.0.1:4000/dir run',
    ),
    'refused',
    'peer',
    [REFUSED, '127.0.0.1:4000'],
  ),
  trial(job('httpie', 'exec http --ignore-stdin GET http://127.0.0.1:8081/orders'), 'refused', 'peer', [
    REFUSED,
    '127.0.0.1',
  ]),
  trial(job('httpie', 'exec http --ignore-stdin GET http://ledger.shop.svc/orders'), 'no-name', 'peer', [NO_NAME, '']),
  trial(job('scons', 'cd /app; exec scons'), 'no-script', 'file', [FILE, 'SConstruct']),
  trial(
    job(
      'scons',
      'cd /app; exec scons',
      conf('app/SConstruct', "Command('total.txt', 'cart.txt', 'cp $SOURCE $TARGET')"),
    ),
    'missing-source',
    'file',
    [FILE, 'cart.txt'],
  ),
  trial(job('mkdocs', 'cd /app; exec mkdocs build -f /app/none.yml'), 'no-config', 'file', [
    `${FILE} bad-argument`,
    'none.yml',
  ]),
  trial(
    job('behave', 'cd /app; exec behave --no-color', {
      'app/features/cart.feature': `${FEATURE}\n`,
      'app/features/steps/s.py': `${STEPS}\n`,
    }),
    'test-fails',
    'code',
    [CODE, 'the sum is'],
  ),
  trial(
    job('behave', 'cd /app; exec behave --no-color', conf('app/features/cart.feature', FEATURE)),
    'no-steps',
    'file',
    [FILE, 'steps'],
  ),
  trial(job('invoke', 'cd /app; exec invoke deploy'), 'no-tasks', 'file', [`${FILE} ${LIBRARY}`, 'tasks']),
  trial(
    job('rake', 'cd /app; exec rake deploy', conf('app/Rakefile', "task(:bill) { puts 'a' }")),
    'no-task',
    'config',
    [CONFIG, 'deploy'],
  ),
  trial(
    job('rake', 'cd /app; exec rake bill', conf('app/Rakefile', "task(:bill) { sh 'cp /data/none.csv /tmp/' }")),
    'command-fails',
    'file',
    [FILE, '/data/none.csv'],
  ),
  trial(
    job(
      'rspec',
      'cd /app; exec rspec /app/cart_spec.rb',
      conf('app/cart_spec.rb', "RSpec.describe 'cart' do\n  it('adds prices') { expect(1 + 1).to eq(3) }\nend"),
    ),
    'test-fails',
    'code',
    [CODE, 'adds prices'],
  ),
  trial(
    job('rspec', 'cd /app; exec rspec /app/cart_spec.rb', conf('app/cart_spec.rb', "require 'ledgr'")),
    'no-module',
    'library',
    [LIBRARY, 'ledgr'],
  ),
  trial(
    job(
      'phpunit',
      'cd /app; exec phpunit /app/CartTest.php',
      conf(
        'app/CartTest.php',
        '<?php\nclass CartTest extends PHPUnit\\Framework\\TestCase { public function testAddsPrices(): void { $this->assertSame(3, 1 + 1); } }',
      ),
    ),
    'test-fails',
    'code',
    [CODE, 'testAddsPrices'],
  ),
  trial(
    job('composer', 'cd /app; export COMPOSER_ALLOW_SUPERUSER=1; exec composer install --no-interaction'),
    'no-manifest',
    'file',
    [FILE, 'composer.json'],
  ),
  trial(
    job(
      'composer',
      'cd /app; export COMPOSER_ALLOW_SUPERUSER=1; exec composer install --no-interaction',
      conf('app/composer.json', '{"require": {"ext-ledgr": "*"}, "repositories": [{"packagist.org": false}]}'),
    ),
    'no-extension',
    'library',
    [`${LIBRARY} version-mismatch`, 'ext-ledgr'],
  ),
  trial(
    job(
      'composer',
      'cd /app; export COMPOSER_ALLOW_SUPERUSER=1; exec composer install --no-interaction',
      conf('app/composer.json', '{"require": {,}}'),
    ),
    'bad-json',
    'config',
    [CONFIG, 'composer.json'],
  ),
  trial(js('rollup', 'rollup src/none.js -f es', {}), 'missing-source', 'file', [`${FILE} missing-module`, 'none.js']),
  trial(js('rollup', 'rollup app.js -f es', conf('app/app.js', 'const total = (1 + ;')), 'syntax', 'code', [
    `${CODE} malformed-config`,
    'app.js',
  ]),
  trial(
    js('esbuild', 'esbuild app.js --bundle', conf('app/app.js', "import './ledger.js';")),
    'missing-source',
    'library',
    [`${LIBRARY} malformed-config`, './ledger.js'],
  ),
  trial(js('eslint', 'eslint app.js', conf('app/app.js', 'a();')), 'no-config', 'file', [FILE, 'eslint.config']),
  trial(
    js('eslint', 'eslint app.mjs', {
      'app/app.mjs': 'export const total = totl;\n',
      'app/eslint.config.mjs': "export default [{ rules: { 'no-undef': 'error' } }];\n",
    }),
    'problem',
    'code',
    [CODE, 'totl'],
  ),
  trial(
    js(
      'vitest',
      'vitest run --root /app',
      conf(
        'app/cart.test.mjs',
        "import { expect, it } from 'vitest';\nit('adds prices', () => { expect(1 + 1).toBe(3); });",
      ),
    ),
    'test-fails',
    'code',
    [CODE, 'adds prices'],
  ),
  trial(js('prettier', 'prettier --check app.js', conf('app/app.js', 'const total = (1 + ;')), 'syntax', 'code', [
    `${CODE} malformed-config`,
    'app.js',
  ]),
];
