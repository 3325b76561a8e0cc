/** Trials of the fifth batch that is held out: applications of frameworks, and jobs of command lines. */
import { CLIENT_FAULTS as f } from '../peers.ts';
import type { Trial } from '../trial.ts';
import { occupied, trial } from './second-servers.ts';

type Base = Pick<Trial, 'program' | 'run'> & Partial<Trial>;
const CONFIG = 'malformed-config exit-code bad-argument missing-setting';
const FILE = 'missing-setting exit-code malformed-config';
const REFUSED = 'dependency-refused';
const NO_NAME = 'dependency-not-resolved';
const ARGUMENT = 'bad-argument exit-code malformed-config';
const LIBRARY = 'missing-module exit-code missing-setting';
const main = (file: string, text: string, more: Trial['files'] = {}): Trial['files'] => ({
  [`app/${file}`]: `${text}\n`,
  ...more,
});

const SPRING_BEANS = (beans: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<beans xmlns="http://www.springframework.org/schema/beans" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.springframework.org/schema/beans http://www.springframework.org/schema/beans/spring-beans.xsd">\n${beans}\n</beans>\n`;
const SPRING = (beans: string, code = ''): Trial['files'] => ({
  'app/beans.xml': SPRING_BEANS(beans),
  'app/Main.java': `import org.springframework.context.support.*;\npublic class Main {\n  public static class Ledger { private String url; public void setUrl(String u) { url = u; } public void init() throws Exception { ${code} } }\n  public static void main(String[] a) throws Exception {\n    System.out.println("shop starting");\n    var context = new FileSystemXmlApplicationContext("file:/app/beans.xml");\n    System.out.println("shop started"); Thread.sleep(60000);\n  }\n}\n`,
});
const SPRING_PATH =
  '/usr/share/java/spring3-core.jar:/usr/share/java/spring3-beans.jar:/usr/share/java/spring3-context.jar:/usr/share/java/spring3-aop.jar:/usr/share/java/spring3-expression.jar:/usr/share/java/spring3-jdbc.jar:/usr/share/java/spring3-tx.jar:/usr/share/java/commons-logging.jar:/usr/share/java/postgresql.jar:/app';
const LEDGER = '<bean id="ledger" class="Main$Ledger" init-method="init"/>';
export const spring: Base = {
  program: 'spring',
  before: `cd /app && javac -cp ${SPRING_PATH} Main.java`,
  run: `exec java -cp ${SPRING_PATH} Main`,
  files: SPRING(LEDGER),
};
const springTrials: readonly Trial[] = [
  trial(spring, 'database-refused', 'peer', [REFUSED, '127.0.0.1:5432'], {
    files: SPRING(
      LEDGER,
      'java.sql.DriverManager.getConnection("jdbc:postgresql://127.0.0.1:5432/orders", "app", "right");',
    ),
  }),
  trial(spring, 'no-name', 'peer', [NO_NAME, 'ledger.shop.svc'], {
    files: SPRING(LEDGER, 'new java.net.URL("http://ledger.shop.svc:8080/").openStream();'),
  }),
  trial(spring, 'no-class', 'code', [LIBRARY, 'shop.Tariff'], { files: SPRING('<bean id="t" class="shop.Tariff"/>') }),
  trial(spring, 'no-bean', 'config', ['exit-code', 'tariff'], {
    files: SPRING('<bean id="ledger" class="Main$Ledger"><property name="url" ref="tariff"/></bean>'),
  }),
  trial(spring, 'placeholder', 'config', ['missing-setting exit-code', 'ledger.url'], {
    files: SPRING(
      '<bean class="org.springframework.beans.factory.config.PropertyPlaceholderConfigurer"/><bean id="ledger" class="Main$Ledger"><property name="url" value="${ledger.url}"/></bean>',
    ),
  }),
  trial(spring, 'bad-xml', 'config', [CONFIG, 'beans.xml'], { files: SPRING('<bean id="t"') }),
  trial(spring, 'throws', 'code', ['exit-code', 'tariff 17 has no price'], {
    files: SPRING(LEDGER, 'throw new IllegalStateException("tariff 17 has no price");'),
  }),
];

const rails = (text: string, more: Trial['files'] = {}): Trial['files'] =>
  main(
    'config.ru',
    `require "action_controller/railtie"\nclass Shop < Rails::Application\n  config.eager_load = false\n  config.secret_key_base = "x" * 40\n  config.logger = Logger.new($stdout)\n  config.hosts.clear\n  routes.append { get "/" => "home#show"; get "/broken" => "home#broken" }\nend\nclass HomeController < ActionController::Base\n  def show; render plain: "ok"; end\n  def broken; raise "tariff 17 has no price"; end\nend\n${text}\nShop.initialize!\nrun Shop`,
    more,
  );
export const railsBase: Base = {
  program: 'rails',
  run: 'exec puma -b tcp://127.0.0.1:3000 -e production /app/config.ru',
  files: rails(''),
};
const railsTrials: readonly Trial[] = [
  trial(railsBase, 'no-variable', 'config', ['missing-setting exit-code', 'LEDGER_DSN'], {
    files: rails('ENV.fetch("LEDGER_DSN")'),
  }),
  trial(railsBase, 'port-taken', 'port', ['port-in-use', '3000'], { before: occupied(3000, 'AF_INET', '127.0.0.1') }),
  trial(railsBase, 'no-gem', 'library', [LIBRARY, 'ledger_client'], { files: rails('require "ledger_client"') }),
  trial(railsBase, 'bad-yaml', 'config', [CONFIG, 'shop.yml'], {
    files: rails('Shop.config_for(Pathname.new("/app/shop.yml"))', { 'app/shop.yml': 'production:\n  a: [1\n b: 2\n' }),
  }),
  trial(railsBase, 'no-file', 'file', [FILE, '/etc/app/settings.json'], {
    files: rails('JSON.parse(File.read("/etc/app/settings.json"))'),
  }),
  trial(railsBase, 'raises', 'code', ['exit-code', 'tariff 17 has no price'], {
    files: rails('raise ArgumentError, "tariff 17 has no price"'),
  }),
];

const SIDEKIQ = main(
  'jobs.rb',
  'require "sidekiq"\nclass PriceJob\n  include Sidekiq::Job\n  def perform(id); raise "tariff #{id} has no price"; end\nend',
);
export const sidekiq: Base = {
  program: 'sidekiq',
  run: 'exec sidekiq -r /app/jobs.rb',
  env: { REDIS_URL: 'redis://127.0.0.1:6379/0' },
  files: SIDEKIQ,
};
const sidekiqTrials: readonly Trial[] = [
  trial(sidekiq, 'redis-refused', 'peer', [REFUSED, '127.0.0.1:6379']),
  trial(sidekiq, 'no-name', 'peer', [NO_NAME, 'cache.shop.svc'], {
    env: { REDIS_URL: 'redis://cache.shop.svc:6379/0' },
  }),
  trial(sidekiq, 'no-file', 'file', [`${FILE} missing-module bad-argument`, 'Please point Sidekiq'], {
    run: 'exec sidekiq -r /app/none.rb',
  }),
  trial(sidekiq, 'password', 'authentication', ['authentication-refused', ''], f.redisPassword),
];

const php = (autoload: string, text: string): Trial['files'] =>
  main('main.php', `<?php\nrequire '/usr/share/php/${autoload}/autoload.php';\necho "shop starting\\n";\n${text}`);
const symfony = { program: 'symfony', run: 'exec php /app/main.php' };
const symfonyTrials: readonly Trial[] = [
  trial(symfony, 'bad-yaml', 'config', [CONFIG, '/app/shop.yaml'], {
    files: {
      ...php('Symfony/Component/Yaml', "\\Symfony\\Component\\Yaml\\Yaml::parseFile('/app/shop.yaml');"),
      'app/shop.yaml': 'a: 1\n  b: [2\n',
    },
  }),
  trial(symfony, 'no-yaml', 'file', [FILE, '/etc/app/none.yaml'], {
    files: php('Symfony/Component/Yaml', "\\Symfony\\Component\\Yaml\\Yaml::parseFile('/etc/app/none.yaml');"),
  }),
  trial(symfony, 'no-service', 'config', ['exit-code missing-module', 'shop.ledger'], {
    files: php(
      'Symfony/Component/DependencyInjection',
      "$c = new \\Symfony\\Component\\DependencyInjection\\ContainerBuilder(); $c->get('shop.ledger');",
    ),
  }),
  trial(symfony, 'no-variable', 'config', ['missing-setting exit-code', 'LEDGER_DSN'], {
    files: php(
      'Symfony/Component/DependencyInjection',
      "$c = new \\Symfony\\Component\\DependencyInjection\\ContainerBuilder(); $c->register('a', \\ArrayObject::class)->setPublic(true)->addArgument('%env(LEDGER_DSN)%'); $c->compile(true); $c->get('a');",
    ),
  }),
  trial(symfony, 'console-throws', 'code', ['exit-code', 'tariff 17 has no price'], {
    files: php(
      'Symfony/Component/Console',
      "$a = new \\Symfony\\Component\\Console\\Application('shop'); $a->register('serve')->setCode(function () { throw new \\RuntimeException('tariff 17 has no price'); }); $a->run();",
    ),
    run: 'exec php /app/main.php serve',
  }),
  trial(symfony, 'console-option', 'config', [ARGUMENT, '--prot'], {
    files: php(
      'Symfony/Component/Console',
      "$a = new \\Symfony\\Component\\Console\\Application('shop'); $a->register('serve')->setCode(function () { return 0; }); $a->run();",
    ),
    run: 'exec php /app/main.php serve --prot=80',
  }),
];
const eloquent = (text: string): Trial['files'] =>
  php(
    'Illuminate/Database',
    `require '/usr/share/php/Illuminate/Events/autoload.php';\n$d = new \\Illuminate\\Database\\Capsule\\Manager; ${text}`,
  );
const laravel = { program: 'laravel', run: 'exec php /app/main.php' };
const laravelTrials: readonly Trial[] = [
  trial(laravel, 'database-refused', 'peer', [REFUSED, 'refused'], {
    files: eloquent(
      "$d->addConnection(['driver' => 'mysql', 'host' => '127.0.0.1', 'port' => 3306, 'database' => 'orders', 'username' => 'app', 'password' => 's3cr3t']); $d->getConnection()->select('select 1');",
    ),
  }),
  trial(laravel, 'no-table', 'data', ['missing-data exit-code', 'invoices'], {
    files: eloquent(
      "$d->addConnection(['driver' => 'sqlite', 'database' => ':memory:']); $d->getConnection()->select('select * from invoices');",
    ),
  }),
  trial(laravel, 'no-database', 'file', [`${FILE} missing-data`, '/data/shop.sqlite'], {
    files: eloquent(
      "$d->addConnection(['driver' => 'sqlite', 'database' => '/data/shop.sqlite']); $d->getConnection()->select('select 1');",
    ),
  }),
  trial(laravel, 'no-driver', 'library', ['exit-code missing-module malformed-config', 'ledgerdb'], {
    files: eloquent(
      "$d->addConnection(['driver' => 'ledgerdb', 'database' => 'a']); $d->getConnection()->select('select 1');",
    ),
  }),
];

const BUN = 'exec /opt/node/node_modules/bun/bin/bun.exe';
export const bun: Base = {
  program: 'bun',
  run: `${BUN} /app/main.ts`,
  files: main(
    'main.ts',
    'Bun.serve({ port: 8080, fetch(r) { if (r.url.endsWith("broken")) throw new Error("no price"); return new Response("ok"); } }); console.log("listening on 8080");',
  ),
};
const bunTrials: readonly Trial[] = [
  trial(bun, 'port-taken', 'port', ['port-in-use', '8080'], f.portTaken),
  trial(bun, 'missing-module', 'library', [LIBRARY, 'ledger-client'], {
    files: main('main.ts', 'import { a } from "ledger-client"; a();'),
  }),
  trial(bun, 'throws', 'code', ['exit-code', 'tariff 17 has no price'], {
    files: main('main.ts', 'function price(id: number) { throw new Error(`tariff ${id} has no price`); }\nprice(17);'),
  }),
  trial(bun, 'refused', 'peer', [`${REFUSED} exit-code`, '127.0.0.1:8081'], {
    files: main('main.ts', 'const a = await fetch("http://127.0.0.1:8081/rates"); console.log(a.status);'),
  }),
  trial(bun, 'syntax', 'code', ['exit-code malformed-config', 'main.ts'], {
    files: main('main.ts', 'const a = {\nconsole.log(1;\n'),
  }),
];
const DENO = 'exec /opt/node/node_modules/@deno/linux-x64-glibc/deno run --no-remote --no-prompt';
export const deno: Base = {
  program: 'deno',
  run: `${DENO} --allow-net /app/main.ts`,
  files: main(
    'main.ts',
    'Deno.serve({ port: 8080 }, (r) => { if (r.url.endsWith("broken")) throw new Error("no price"); return new Response("ok"); });',
  ),
};
const denoTrials: readonly Trial[] = [
  trial(deno, 'port-taken', 'port', ['port-in-use', ''], f.portTaken),
  trial(deno, 'not-allowed', 'permission', ['permission-denied exit-code not-allowed', '/etc/app/settings.json'], {
    files: main('main.ts', 'console.log(Deno.readTextFileSync("/etc/app/settings.json"));'),
  }),
  trial(deno, 'no-file', 'file', [FILE, '/etc/app/settings.json'], {
    run: `${DENO} --allow-read /app/main.ts`,
    files: main('main.ts', 'console.log(Deno.readTextFileSync("/etc/app/settings.json"));'),
  }),
  trial(deno, 'rejects', 'code', ['exit-code', 'tariff 17 has no price'], {
    files: main(
      'main.ts',
      'async function price(id: number) { throw new Error(`tariff ${id} has no price`); }\nprice(17);\nsetTimeout(() => {}, 9000);',
    ),
  }),
  trial(deno, 'missing-module', 'library', [LIBRARY, 'ledger.ts'], {
    files: main('main.ts', 'import { a } from "./ledger.ts"; a();'),
  }),
];

const NODE = 'export PATH=$PATH:/opt/node/node_modules/.bin NODE_PATH=/opt/node/node_modules';
const LINKED = 'ln -sfn /opt/node/node_modules /app/node_modules';
const NEXT = main('pages/index.js', 'export default function Home() { return <p>ok</p>; }', {
  'app/package.json': '{"name":"shop"}\n',
});
const next: Base = {
  program: 'next',
  before: LINKED,
  run: `${NODE}; export NEXT_TELEMETRY_DISABLED=1; exec next start -p 3000`,
  files: NEXT,
};
const nextTrials: readonly Trial[] = [
  trial(next, 'not-built', 'file', [`${FILE} missing-data`, '.next']),
  trial(next, 'no-pages', 'file', [`${FILE} missing-data`, 'app'], {
    run: `${NODE}; exec next build`,
    files: { 'app/package.json': '{"name":"shop"}\n' },
  }),
  trial(next, 'unknown-option', 'config', [ARGUMENT, '--prot'], { run: `${NODE}; exec next start --prot 80` }),
  trial(next, 'bad-config', 'config', ['exit-code malformed-config missing-setting', 'LEDGER_URL is not set'], {
    run: `${NODE}; exec next build`,
    files: {
      ...NEXT,
      'app/next.config.js':
        'if (!process.env.LEDGER_URL) throw new Error("LEDGER_URL is not set");\nmodule.exports = {};\n',
    },
  }),
];
const SEQUELIZE = (password: string): Trial['files'] => ({
  'app/config/config.json': `{"development":{"username":"app","password":"${password}","database":"orders","host":"127.0.0.1","port":5432,"dialect":"postgres"}}\n`,
  'app/migrations/001-plan.js':
    "module.exports = { up: (q, S) => q.addColumn('invoices', 'plan', S.STRING), down: () => {} };\n",
});
const sequelizeCli: Base = {
  program: 'sequelize-cli',
  before: LINKED,
  run: `${NODE}; exec sequelize-cli db:migrate`,
  files: SEQUELIZE('s3cr3t'),
};
const sequelizeTrials: readonly Trial[] = [
  trial(sequelizeCli, 'refused', 'peer', [REFUSED, '127.0.0.1:5432']),
  trial(sequelizeCli, 'password', 'authentication', ['authentication-refused', 'app'], {
    before: `${LINKED}; ${f.pgPassword.before}`,
  }),
  trial(sequelizeCli, 'no-database', 'data', ['missing-data exit-code', 'orders'], {
    before: `${LINKED}; ${f.pgPassword.before}`,
    files: SEQUELIZE('right'),
  }),
  trial(sequelizeCli, 'no-config', 'file', [FILE, 'config.json'], { files: {} }),
];
const nodeApps: readonly Trial[] = [
  trial(
    { program: 'envalid', run: `${NODE}; exec node /app/main.js` },
    'missing',
    'config',
    ['missing-setting exit-code', 'LEDGER_URL'],
    {
      files: main(
        'main.js',
        "const { cleanEnv, url } = require('envalid');\ncleanEnv(process.env, { LEDGER_URL: url() });",
      ),
    },
  ),
  trial(
    { program: 'http-server', run: `${NODE}; exec http-server /data -p 8080` },
    'port-taken',
    'port',
    ['port-in-use', '8080'],
    f.portTaken,
  ),
  trial({ program: 'mqtt', run: `${NODE}; exec node /app/main.js` }, 'refused', 'peer', [REFUSED, '127.0.0.1:1883'], {
    files: main(
      'main.js',
      "const mqtt = require('mqtt');\nmqtt.connect('mqtt://127.0.0.1:1883').on('error', (e) => { console.error('broker', e); process.exit(1); });",
    ),
  }),
  trial(
    { program: 'nats-client', run: `${NODE}; exec node /app/main.js` },
    'refused',
    'peer',
    [`${REFUSED} exit-code`, ''],
    {
      files: main(
        'main.js',
        "const { connect } = require('nats');\nconnect({ servers: '127.0.0.1:4222' }).then(() => console.log('connected'));",
      ),
    },
  ),
  trial(
    { program: 'log4js', run: `${NODE}; exec node /app/main.js` },
    'fatal',
    'file',
    [FILE, '/etc/app/tariffs.json'],
    {
      files: main(
        'main.js',
        "const log = require('log4js').getLogger('shop'); log.level = 'info';\nlog.info('starting');\nrequire('fs').readFile('/etc/app/tariffs.json', (e) => { if (e) { log.fatal('cannot load tariffs', e); log.info('bye'); process.exitCode = 1; } });",
      ),
    },
  ),
];

const psql = (name: string, run: string): Base => ({ program: 'pg-jobs', run: `export PGPASSWORD=${name}; ${run}` });
const PG = '-h 127.0.0.1 -U app';
const jobs: readonly Trial[] = [
  trial(psql('right', `exec pg_dump ${PG} -f /data/dump.sql orders`), 'dump-refused', 'peer', [REFUSED, '127.0.0.1']),
  trial(
    psql('s3cr3t', `exec pg_dump ${PG} -f /data/dump.sql postgres`),
    'dump-password',
    'authentication',
    ['authentication-refused', 'app'],
    { before: f.pgPassword.before },
  ),
  trial(
    psql('right', `exec pg_dump ${PG} -f /backup/dump.sql postgres`),
    'dump-no-folder',
    'file',
    [FILE, '/backup/dump.sql'],
    { before: f.pgPassword.before },
  ),
  trial(
    psql('right', `exec psql ${PG} -v ON_ERROR_STOP=1 -f /app/002.sql postgres`),
    'migration',
    'data',
    ['missing-data exit-code', 'invoices'],
    {
      before: f.pgPassword.before,
      files: main('002.sql', 'CREATE TABLE plans (id int);\nALTER TABLE invoices ADD plan text;'),
    },
  ),
  trial(
    psql('right', `exec pg_restore ${PG} -d postgres /app/dump`),
    'restore-garbage',
    'data',
    ['corrupt-data exit-code malformed-config', 'archive'],
    {
      before: f.pgPassword.before,
      files: main('dump', 'nonsense'),
    },
  ),
  trial({ program: 'git', run: 'exec git clone https://127.0.0.1:8443/shop.git /data/shop' }, 'refused', 'peer', [
    REFUSED,
    '127.0.0.1',
  ]),
  trial({ program: 'git', run: 'exec git clone https://git.shop.svc/shop.git /data/shop' }, 'no-name', 'peer', [
    NO_NAME,
    'git.shop.svc',
  ]),
  trial({ program: 'git', run: 'exec git clone /data/none /data/shop' }, 'no-repository', 'file', [
    `${FILE} missing-data`,
    '/data/none',
  ]),
  trial(
    { program: 'git', run: 'cd /data; exec git pull' },
    'owner',
    'permission',
    ['permission-denied exit-code', '/data'],
    {
      user: 1000,
      before: 'cd /data; git init -q; chmod -R a+rX /data',
    },
  ),
  trial({ program: 'wget', run: 'exec wget -nv http://127.0.0.1:8081/tariffs -O /data/tariffs' }, 'refused', 'peer', [
    REFUSED,
    '',
  ]),
  trial(
    { program: 'wget', run: 'exec wget -nv https://127.0.0.1:8443/ -O /data/tariffs' },
    'self-signed',
    'tls',
    ['certificate-not-trusted', ''],
    f.selfSigned,
  ),
  trial({ program: 'rsync', run: 'exec rsync -a /data/none/ /data/copy/' }, 'no-source', 'file', [FILE, '/data/none']),
  trial({ program: 'rsync', run: 'exec rsync -a rsync://127.0.0.1:8873/shop /data/' }, 'refused', 'peer', [
    REFUSED,
    '127.0.0.1',
  ]),
  trial(
    { program: 'restic', run: 'exec restic -r /data/r backup /app' },
    'no-password',
    'config',
    ['exit-code missing-setting authentication-refused', 'password'],
    { before: 'RESTIC_PASSWORD=right restic -q init -r /data/r' },
  ),
  trial(
    { program: 'restic', run: 'export RESTIC_PASSWORD=x; exec restic -r /data/none backup /app' },
    'no-repository',
    'file',
    [`${FILE} missing-data`, '/data/none'],
  ),
  trial(
    { program: 'restic', run: 'export RESTIC_PASSWORD=wrong; exec restic -r /data/r backup /app' },
    'wrong-password',
    'authentication',
    ['authentication-refused exit-code', 'password'],
    {
      before: 'RESTIC_PASSWORD=right restic -q init -r /data/r',
    },
  ),
  trial({ program: 'borg', run: 'exec borg create /data/none::a /app' }, 'no-repository', 'file', [
    `${FILE} missing-data`,
    '/data/none',
  ]),
  trial(
    {
      program: 'borg',
      run: 'export BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK=yes; exec borg create --lock-wait 1 /data/b::a /app',
    },
    'locked',
    'data',
    ['already-running exit-code', '/data/b'],
    {
      before: 'borg init -e none /data/b; mkdir -p /data/b/lock.exclusive; touch /data/b/lock.exclusive/other@1.1-0',
    },
  ),
  trial(
    { program: 'ansible', run: 'exec ansible-playbook /app/play.yml' },
    'syntax',
    'config',
    [CONFIG, '/app/play.yml'],
    { files: main('play.yml', '- hosts: [') },
  ),
  trial(
    { program: 'ansible', run: 'exec ansible-playbook -i localhost, -c local /app/play.yml' },
    'task-fails',
    'file',
    [FILE, '/etc/app/tariffs.json'],
    {
      files: main(
        'play.yml',
        '- hosts: all\n  gather_facts: false\n  tasks:\n    - name: read tariffs\n      command: cat /etc/app/tariffs.json',
      ),
    },
  ),
  trial({ program: 'ansible', run: 'exec ansible-playbook /app/none.yml' }, 'no-play', 'file', [FILE, '/app/none.yml']),
  trial(
    {
      program: 'kubectl',
      run: 'exec kubectl --server=https://127.0.0.1:6443 --token=t --insecure-skip-tls-verify get pods',
    },
    'refused',
    'peer',
    [REFUSED, '127.0.0.1:6443'],
  ),
  trial(
    { program: 'kubectl', run: 'exec kubectl --kubeconfig=/etc/app/config get pods' },
    'bad-config',
    'config',
    [CONFIG, '/etc/app/config'],
    { files: { 'etc/app/config': 'a: [\n' } },
  ),
];

const ALEMBIC = (url: string): Trial['files'] => ({
  'app/alembic.ini': `[alembic]\nscript_location = /app/m\nsqlalchemy.url = ${url}\n[loggers]\nkeys = root\n[handlers]\nkeys = console\n[formatters]\nkeys = f\n[logger_root]\nlevel = INFO\nhandlers = console\n[handler_console]\nclass = StreamHandler\nargs = (sys.stderr,)\nformatter = f\n[formatter_f]\nformat = %(levelname)-5.5s [%(name)s] %(message)s\n`,
  'app/m/env.py':
    'from alembic import context\nfrom sqlalchemy import create_engine\nfrom logging.config import fileConfig\nfileConfig(context.config.config_file_name)\nwith create_engine(context.config.get_main_option("sqlalchemy.url")).connect() as c:\n    context.configure(connection=c)\n    with context.begin_transaction():\n        context.run_migrations()\n',
  'app/m/versions/001.py':
    "revision = '001'\ndown_revision = None\nfrom alembic import op\ndef upgrade():\n    op.execute('ALTER TABLE invoices ADD plan text')\n",
});
const alembic: Base = {
  program: 'alembic',
  run: 'cd /app; exec alembic upgrade head',
  files: ALEMBIC('sqlite:////data/a.db'),
};
const alembicTrials: readonly Trial[] = [
  trial(alembic, 'no-table', 'data', ['missing-data exit-code', 'invoices']),
  trial(alembic, 'refused', 'peer', [REFUSED, '127.0.0.1'], {
    files: ALEMBIC('postgresql://app:s3cr3t@127.0.0.1:5432/orders'),
  }),
  trial(alembic, 'no-revision', 'data', ['missing-data exit-code version-mismatch', '9f3'], {
    run: 'cd /app; exec alembic upgrade 9f3',
  }),
  trial(alembic, 'no-config', 'file', [FILE, 'alembic.ini'], { files: {} }),
];
const jupyter = 'exec jupyter notebook --allow-root --no-browser --ip=127.0.0.1';
const jupyterBase: Base = { program: 'jupyter', run: `${jupyter} --port=8888 --port-retries=0` };
const jupyterTrials: readonly Trial[] = [
  trial(jupyterBase, 'port-taken', 'port', ['port-in-use', '8888'], { before: occupied(8888, 'AF_INET', '127.0.0.1') }),
  trial(jupyterBase, 'no-folder', 'file', [`${FILE} bad-argument`, '/none'], {
    run: `${jupyter} --notebook-dir=/none`,
  }),
  trial(jupyterBase, 'root', 'permission', ['exit-code permission-denied', 'root'], {
    run: 'exec jupyter notebook --no-browser',
  }),
];

export const FIFTH_APPS: readonly Trial[] = [
  ...springTrials,
  ...railsTrials,
  ...sidekiqTrials,
  ...symfonyTrials,
  ...laravelTrials,
  ...bunTrials,
  ...denoTrials,
  ...nextTrials,
  ...sequelizeTrials,
  ...nodeApps,
  ...jobs,
  ...alembicTrials,
  ...jupyterTrials,
];
