/** Trials of the sixth batch that is held out: a few frameworks and jobs more. */
import { CLIENT_FAULTS as f } from '../peers.ts';
import type { Trial } from '../trial.ts';
import { trial } from './second-servers.ts';

type Base = Pick<Trial, 'program' | 'run'> & Partial<Trial>;
const FILE = 'missing-setting exit-code malformed-config';
const REFUSED = 'dependency-refused';
const LIBRARY = 'missing-module exit-code missing-setting';
const NODE = 'export PATH=$PATH:/opt/node/node_modules/.bin NODE_PATH=/opt/node/node_modules';

const mysql = (run: string): Base => ({ program: 'mysql-jobs', run });
const tar = (run: string): Base => ({ program: 'archive-jobs', run });
const migrate: Base = {
  program: 'node-pg-migrate',
  before: 'ln -sfn /opt/node/node_modules /app/node_modules; mkdir -p /app/migrations',
  run: `${NODE}; exec node-pg-migrate up`,
  env: { DATABASE_URL: 'postgres://app:s3cr3t@127.0.0.1:5432/orders' },
};
const log4j = (text: string): Trial['files'] => ({
  'app/Main.java': `import org.apache.logging.log4j.*;\npublic class Main {\n  static final Logger LOG = LogManager.getLogger("shop");\n  static void run() throws Exception { ${text} }\n  public static void main(String[] a) {\n    LOG.error("starting shop 2.1");\n    try { run(); } catch (Exception e) { LOG.fatal("shop cannot go on", e); System.exit(3); }\n  }\n}\n`,
});
const LOG4J_PATH = '/usr/share/java/log4j-api.jar:/usr/share/java/log4j-core.jar:/app';
const log4jBase: Base = {
  program: 'log4j',
  before: `cd /app && javac -cp ${LOG4J_PATH} Main.java`,
  run: `exec java -cp ${LOG4J_PATH} Main`,
};
const django = (settings: string): Trial['files'] => ({
  'app/manage.py':
    'import os, sys\nos.environ.setdefault("DJANGO_SETTINGS_MODULE", "settings")\nfrom django.core.management import execute_from_command_line\nexecute_from_command_line(sys.argv)\n',
  'app/settings.py': `import os\nSECRET_KEY = "x"\nINSTALLED_APPS = ["django.contrib.contenttypes", "django.contrib.auth"]\nDATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "/data/a.db"}}\n${settings}\n`,
});
const djangoBase: Base = { program: 'django-jobs', run: 'exec python3 /app/manage.py migrate', files: django('') };
const puma = (text: string): Trial['files'] => ({ 'app/config.ru': `${text}\nrun ->(env) { [200, {}, ["ok"]] }\n` });
const pumaBase: Base = { program: 'puma', run: 'exec puma -b tcp://127.0.0.1:9292 /app/config.ru' };

export const SIXTH: readonly Trial[] = [
  trial(mysql('exec mysqldump -h 127.0.0.1 -P 3306 -u app orders'), 'dump-refused', 'peer', [REFUSED, '127.0.0.1']),
  trial(mysql('exec mariadb --defaults-file=/etc/app/none.cnf -e "select 1"'), 'no-defaults', 'file', [
    FILE,
    '/etc/app/none.cnf',
  ]),
  trial(mysql('exec mariadb --hots=db -e "select 1"'), 'unknown-option', 'config', [
    'bad-argument exit-code malformed-config',
    'hots=db',
  ]),
  trial(tar('exec tar -cf /backup/a.tar /app'), 'no-folder', 'file', [FILE, '/backup/a.tar']),
  trial(tar('exec tar -xf /data/a.tar -C /data'), 'garbage', 'data', ['corrupt-data exit-code', 'archive'], {
    before: 'echo nonsense > /data/a.tar',
  }),
  trial(tar('exec gzip -d /data/a.gz'), 'not-gzip', 'data', ['corrupt-data exit-code malformed-config', '/data/a.gz'], {
    before: 'echo nonsense > /data/a.gz',
  }),
  trial(migrate, 'refused', 'peer', [REFUSED, '127.0.0.1:5432']),
  trial(migrate, 'password', 'authentication', ['authentication-refused', 'app'], {
    before: `${migrate.before}; ${f.pgPassword.before}`,
  }),
  trial(migrate, 'no-variable', 'config', ['missing-setting exit-code', 'DATABASE_URL'], { env: {} }),
  trial(log4jBase, 'refused', 'peer', [REFUSED, ''], {
    files: log4j('new java.net.Socket("127.0.0.1", 6400);'),
  }),
  trial(log4jBase, 'no-name', 'peer', ['dependency-not-resolved', 'ledger.shop.svc'], {
    files: log4j('new java.net.Socket("ledger.shop.svc", 80);'),
  }),
  trial(log4jBase, 'wrapped', 'file', [FILE, '/etc/app/tariffs.json'], {
    files: log4j(
      'try { java.nio.file.Files.readString(java.nio.file.Path.of("/etc/app/tariffs.json")); } catch (java.io.IOException e) { throw new IllegalStateException("no tariffs", e); }',
    ),
  }),
  trial(djangoBase, 'no-variable', 'config', ['missing-setting exit-code', 'LEDGER_DSN'], {
    files: django('DSN = os.environ["LEDGER_DSN"]'),
  }),
  trial(djangoBase, 'no-app', 'library', [LIBRARY, 'ledger'], { files: django('INSTALLED_APPS += ["ledger"]') }),
  trial(djangoBase, 'data-denied', 'permission', ['permission-denied exit-code missing-setting', 'database file'], {
    user: 1000,
    before: 'chmod 700 /data',
  }),
  trial(djangoBase, 'unknown-command', 'config', ['bad-argument exit-code', 'migrat'], {
    run: 'exec python3 /app/manage.py migrat',
  }),
  trial(pumaBase, 'no-gem', 'library', [LIBRARY, 'ledger_client'], { files: puma('require "ledger_client"') }),
  trial(pumaBase, 'no-file', 'file', [FILE, '/etc/app/tariffs.json'], {
    files: puma('TARIFFS = File.read("/etc/app/tariffs.json")'),
  }),
  trial(pumaBase, 'raises', 'code', ['exit-code', 'tariff 17 has no price'], {
    files: puma('raise ArgumentError, "tariff 17 has no price"'),
  }),
  trial(pumaBase, 'syntax', 'code', ['exit-code malformed-config', 'config.ru'], { files: puma('def price(') }),
];
