/** Healthy programs whose logs hold errors that were overcome: each tries something in vain, and then works. */
import type { Trial } from '../trial.ts';

/** What fails for real before the program works. */
type Failure = 'refused' | 'no-name' | 'no-file' | 'denied' | 'bad-json' | 'no-host-port';

export interface Story {
  readonly name: string;
  readonly failure: Failure;
  readonly times: number;
  /** What the program says when it works. */
  readonly works: readonly string[];
}

const STORIES: readonly Story[] = [
  { name: 'database-late', failure: 'refused', times: 3, works: ['connected to database', 'listening on :8080'] },
  { name: 'name-late', failure: 'no-name', times: 2, works: ['resolved config service', 'ready'] },
  {
    name: 'cache-file-missing',
    failure: 'no-file',
    times: 1,
    works: ['no cache yet, starting empty', 'server started on port 8080'],
  },
  {
    name: 'state-denied',
    failure: 'denied',
    times: 1,
    works: ['keeping state in memory', 'worker online, waiting for jobs'],
  },
  { name: 'cache-garbage', failure: 'bad-json', times: 1, works: ['rebuilt cache in 320 ms', 'accepting requests'] },
  { name: 'queue-late', failure: 'refused', times: 4, works: ['subscribed to 3 topics', 'consumer is running'] },
  { name: 'peer-late', failure: 'no-host-port', times: 2, works: ['joined cluster as follower'] },
  {
    name: 'migration-wait',
    failure: 'refused',
    times: 2,
    works: ['migrations applied, schema is at version 42', 'Server is up and running'],
  },
  { name: 'requests-go-on', failure: 'no-file', times: 2, works: ['GET /health 200 3ms', 'GET /orders 200 12ms'] },
  { name: 'sync-late', failure: 'no-name', times: 3, works: ['synchronised 120 records', 'next run in 60s'] },
];

/** Other words of working, for the programs that are held out. */
export const OTHER_STORIES: readonly Story[] = [
  { name: 'database-late', failure: 'refused', times: 3, works: ['database is reachable now', 'booted in 1.4s'] },
  { name: 'name-late', failure: 'no-name', times: 2, works: ['settings fetched', 'listening to 0.0.0.0:3000'] },
  {
    name: 'cache-file-missing',
    failure: 'no-file',
    times: 1,
    works: ['created a new cache', 'application is available'],
  },
  { name: 'state-denied', failure: 'denied', times: 1, works: ['using temporary storage', 'started 4 workers'] },
  { name: 'cache-garbage', failure: 'bad-json', times: 1, works: ['cache dropped', 'now serving'] },
  {
    name: 'queue-late',
    failure: 'refused',
    times: 4,
    works: ['connection established', 'processed job 1', 'processed job 2'],
  },
  {
    name: 'requests-go-on',
    failure: 'no-file',
    times: 2,
    works: ['"GET /cart HTTP/1.1" 200 512', '"GET /cart HTTP/1.1" 200 512'],
  },
];

const tell = (works: readonly string[], say: (text: string) => string): string => works.map(say).join('\n');
const q = (text: string): string => JSON.stringify(text);

const NODE: Readonly<Record<Failure, string>> = {
  refused: `await new Promise((done, fail) => require('net').connect(5432, '127.0.0.1').on('connect', done).on('error', fail));`,
  'no-name': `await require('dns').promises.lookup('config.shop.svc');`,
  'no-file': `require('fs').readFileSync('/var/cache/shop/cache.json');`,
  denied: `require('fs').openSync('/etc/state.db', 'a');`,
  'bad-json': `JSON.parse('{"a": 1,}');`,
  'no-host-port': `await require('axios').get('http://127.0.0.1:7946/members');`,
};
const PYTHON: Readonly<Record<Failure, string>> = {
  refused: `socket.create_connection(('127.0.0.1', 5432), 1)`,
  'no-name': `socket.getaddrinfo('config.shop.svc', 80)`,
  'no-file': `open('/var/cache/shop/cache.json')`,
  denied: `open('/etc/state.db', 'a')`,
  'bad-json': `json.loads('{"a": 1,}')`,
  'no-host-port': `urllib.request.urlopen('http://127.0.0.1:7946/members', timeout=1)`,
};
const JAVA: Readonly<Record<Failure, string>> = {
  refused: `new java.net.Socket("127.0.0.1", 5432);`,
  'no-name': `java.net.InetAddress.getByName("config.shop.svc");`,
  'no-file': `new FileReader("/var/cache/shop/cache.json");`,
  denied: `new FileOutputStream("/etc/state.db");`,
  'bad-json': `Integer.parseInt("{1");`,
  'no-host-port': `new java.net.URL("http://127.0.0.1:7946/members").openStream();`,
};
const GO: Readonly<Record<Failure, string>> = {
  refused: `_, err := net.Dial("tcp", "127.0.0.1:5432")`,
  'no-name': `_, err := net.LookupHost("config.shop.svc")`,
  'no-file': `_, err := os.Open("/var/cache/shop/cache.json")`,
  denied: `_, err := os.OpenFile("/etc/state.db", os.O_RDWR|os.O_CREATE, 0600)`,
  'bad-json': `var v any; err := json.Unmarshal([]byte("{,}"), &v)`,
  'no-host-port': `_, err := http.Get("http://127.0.0.1:7946/members")`,
};
const SHELL: Readonly<Record<Failure, string>> = {
  refused: `nc -zv 127.0.0.1 5432`,
  'no-name': `getent ahosts config.shop.svc || echo "config.shop.svc: Name or service not known" >&2`,
  'no-file': `cat /var/cache/shop/cache.json`,
  denied: `(: >> /etc/state.db)`,
  'bad-json': `python3 -c 'import json; json.loads("{,}")'`,
  'no-host-port': `curl -sS http://127.0.0.1:7946/members`,
};
const PERL: Readonly<Record<Failure, string>> = {
  refused: `IO::Socket::INET->new(PeerAddr => '127.0.0.1:5432') or die "cannot connect to 127.0.0.1:5432: $!";`,
  'no-name': `gethostbyname('config.shop.svc') or die "config.shop.svc: Name or service not known";`,
  'no-file': `open(my $in, '<', '/var/cache/shop/cache.json') or die "cannot read /var/cache/shop/cache.json: $!";`,
  denied: `open(my $in, '>>', '/etc/state.db') or die "cannot open /etc/state.db: $!";`,
  'bad-json': `my $n = 0; my $m = 1 / $n;`,
  'no-host-port': `IO::Socket::INET->new(PeerAddr => '127.0.0.1:7946') or die "member list: $!";`,
};
const RUBY: Readonly<Record<Failure, string>> = {
  refused: `TCPSocket.new('127.0.0.1', 5432)`,
  'no-name': `Addrinfo.getaddrinfo('config.shop.svc', 80)`,
  'no-file': `File.read('/var/cache/shop/cache.json')`,
  denied: `File.open('/etc/state.db', 'a')`,
  'bad-json': `JSON.parse('{,}')`,
  'no-host-port': `Net::HTTP.get(URI('http://127.0.0.1:7946/members'))`,
};
const PHP: Readonly<Record<Failure, string>> = {
  refused: `stream_socket_client('tcp://127.0.0.1:5432');`,
  'no-name': `file_get_contents('http://config.shop.svc/');`,
  'no-file': `file_get_contents('/var/cache/shop/cache.json');`,
  denied: `fopen('/etc/state.db', 'a');`,
  'bad-json': `json_decode('{,}', false, 9, JSON_THROW_ON_ERROR);`,
  'no-host-port': `file_get_contents('http://127.0.0.1:7946/members');`,
};

type Writer = (story: Story) => Pick<Trial, 'program' | 'run' | 'files' | 'before' | 'user' | 'env'>;

const node: Writer = ({ failure, times, works }) => ({
  program: 'node',
  env: { NODE_PATH: '/opt/node/node_modules' },
  user: 1000,
  run: 'exec node server.js',
  files: {
    'app/server.js': `(async () => {\n  for (let i = 1; i <= ${times}; i++) {\n    try {\n      ${NODE[failure]}\n    } catch (error) {\n      console.error(\`attempt \${i} failed\`, error);\n      await new Promise((r) => setTimeout(r, 100));\n    }\n  }\n  ${tell(works, (text) => `console.log(${q(text)});`)}\n  setInterval(() => {}, 1000);\n})();\n`,
  },
});
const nodePino: Writer = ({ failure, times, works }) => ({
  program: 'node',
  env: { NODE_PATH: '/opt/node/node_modules' },
  user: 1000,
  run: 'exec node server.js',
  files: {
    'app/server.js': `const log = require('pino')();\n(async () => {\n  for (let i = 1; i <= ${times}; i++) {\n    try {\n      ${NODE[failure]}\n    } catch (err) {\n      log.error({ err, attempt: i }, 'start-up step failed');\n      await new Promise((r) => setTimeout(r, 100));\n    }\n  }\n  ${tell(works, (text) => `log.info(${q(text)});`)}\n  setInterval(() => {}, 1000);\n})();\n`,
  },
});
const python: Writer = ({ failure, times, works }) => ({
  program: 'python',
  user: 1000,
  run: 'exec python3 -u main.py',
  files: {
    'app/main.py': `import json, logging, socket, time, urllib.request\nlogging.basicConfig(level=logging.INFO, format='%(asctime)s %(levelname)s [%(name)s] %(message)s')\nlog = logging.getLogger('shop')\nfor n in range(${times}):\n    try:\n        ${PYTHON[failure]}\n    except Exception:\n        log.exception('start-up step %d failed, trying again', n + 1)\n        time.sleep(0.1)\n${tell(works, (text) => `log.info(${q(text)})`)}\ntime.sleep(60)\n`,
  },
});
const java: Writer = ({ failure, times, works }) => ({
  program: 'java',
  user: 1000,
  before: 'mkdir -p classes; javac -cp /usr/share/java/slf4j-api.jar -d classes Main.java',
  run: 'exec java -cp classes:/usr/share/java/slf4j-api.jar:/usr/share/java/logback-classic.jar:/usr/share/java/logback-core.jar Main',
  files: {
    'app/Main.java': `import java.io.*;\npublic class Main {\n  public static void main(String[] args) throws Exception {\n    var log = org.slf4j.LoggerFactory.getLogger("com.acme.Shop");\n    for (int i = 1; i <= ${times}; i++) {\n      try { ${JAVA[failure]} } catch (Exception e) { log.error("start-up step {} failed", i, e); Thread.sleep(100); }\n    }\n    ${tell(works, (text) => `log.info(${q(text)});`)}\n    Thread.sleep(60000);\n  }\n}\n`,
  },
});
const go: Writer = ({ failure, times, works }) => {
  const used = (
    {
      refused: 'net',
      'no-name': 'net',
      'no-file': 'os',
      denied: 'os',
      'bad-json': 'encoding/json',
      'no-host-port': 'net/http',
    } as const
  )[failure];
  return {
    program: 'go',
    user: 1000,
    before: 'export GO111MODULE=off GOCACHE=/tmp/gocache CGO_ENABLED=0; go build -o app main.go',
    run: 'exec ./app',
    files: {
      'app/main.go': `package main\n\nimport (\n\t"log"\n\t"time"\n\t"${used}"\n)\n\nfunc main() {\n\tfor i := 0; i < ${times}; i++ {\n\t\t${GO[failure]}\n\t\tif err != nil {\n\t\t\tlog.Printf("error: start-up step %d: %v", i, err)\n\t\t\ttime.Sleep(100 * time.Millisecond)\n\t\t}\n\t}\n\t${tell(works, (text) => `log.Println(${q(text)})`)}\n\ttime.Sleep(time.Minute)\n}\n`,
    },
  };
};
const shell: Writer = ({ failure, times, works }) => ({
  program: 'shell',
  user: 1000,
  run: 'exec ./entrypoint.sh',
  files: {
    'app/entrypoint.sh': [
      `#!/bin/bash\nfor i in $(seq ${times}); do\n  ${SHELL[failure]} || echo "step $i failed, retrying" >&2\n  sleep 0.1\ndone\n${tell(works, (text) => `echo ${q(text)}`)}\nexec sleep 60\n`,
      0o755,
    ],
  },
});
const perl: Writer = ({ failure, times, works }) => ({
  program: 'perl',
  user: 1000,
  run: 'exec perl main.pl',
  files: {
    'app/main.pl': `use strict; use IO::Socket::INET; $| = 1;\nfor my $i (1..${times}) {\n  eval { ${PERL[failure]} }; print STDERR "error: $@" if $@;\n  select(undef, undef, undef, 0.1);\n}\n${tell(works, (text) => `print ${q(`${text}\n`)};`)}\nsleep 60;\n`,
  },
});
const ruby: Writer = ({ failure, times, works }) => ({
  program: 'ruby',
  user: 1000,
  run: 'exec ruby main.rb',
  files: {
    'app/main.rb': `require 'socket'; require 'json'; require 'net/http'; require 'logger'\n$stdout.sync = true\nlog = Logger.new($stdout)\n${times}.times do |i|\n  begin\n    ${RUBY[failure]}\n  rescue => e\n    log.error("step #{i} failed")\n    log.error(e)\n    sleep 0.1\n  end\nend\n${tell(works, (text) => `log.info(${q(text)})`)}\nsleep\n`,
  },
});
const php: Writer = ({ failure, times, works }) => ({
  program: 'php',
  user: 1000,
  run: 'exec php -d display_errors=stderr -d log_errors=0 main.php',
  files: {
    'app/main.php': `<?php\nfor ($i = 1; $i <= ${times}; $i++) {\n  try { ${PHP[failure]} } catch (Throwable $e) { fwrite(STDERR, "step $i failed: $e\\n"); }\n  usleep(100000);\n}\n${tell(works, (text) => `echo ${q(`${text}\n`)};`)}\nsleep(60);\n`,
  },
});

function trials(writer: Writer, stories: readonly Story[], suffix = ''): readonly Trial[] {
  return stories.map((story) => ({
    ...writer(story),
    name: `well-${story.name}${suffix}`,
    family: 'healthy',
    truth: { healthy: true },
  }));
}

export const HEALTHY: readonly Trial[] = [
  ...trials(node, STORIES),
  ...trials(nodePino, STORIES, '-pino'),
  ...trials(python, STORIES),
  ...trials(java, STORIES),
  ...trials(go, STORIES),
  ...trials(shell, STORIES),
  ...trials(perl, STORIES),
];

export const HEALTHY_HELD_OUT: readonly Trial[] = [...trials(ruby, OTHER_STORIES), ...trials(php, OTHER_STORIES)];
