/** Trials of Go: the standard library, lib/pq, logrus and zap of Debian. */
import { CLIENT_FAULTS } from '../peers.ts';
import type { Trial } from '../trial.ts';

const program = 'go';
const go = (imports: string, body: string, outside = ''): Trial['files'] => ({
  'app/main.go': `package main\n\nimport (\n${imports
    .split(' ')
    .filter(Boolean)
    .map((each) => (each.startsWith('_') ? `\t_ "${each.slice(1)}"` : `\t"${each}"`))
    .join('\n')}\n)\n\n${outside}\nfunc main() {\n\tfmt.Println("starting")\n\t${body.replaceAll('\n', '\n\t')}\n}\n`,
});
const BUILD =
  'export GOPATH=/usr/share/gocode GO111MODULE=off GOFLAGS= GOCACHE=/tmp/gocache CGO_ENABLED=0; go build -o /app/app main.go';
const built = (before = ''): string => `${before}\ncd /app\n${BUILD}`;
const base = { program, run: 'exec ./app', before: BUILD };
const f = CLIENT_FAULTS;
const PG = (dsn: string, sql = 'select 1'): Trial['files'] =>
  go(
    'database/sql fmt log _github.com/lib/pq',
    `db, _ := sql.Open("postgres", "${dsn}")\nif _, err := db.Exec("${sql}"); err != nil {\n\tlog.Fatalf("database: %v", err)\n}`,
  );

export const goTrials: readonly Trial[] = [
  { ...base, ...f.pgRefused, files: PG('postgres://app:x@127.0.0.1:5432/shop?sslmode=disable') },
  { ...base, ...f.pgNoName, files: PG('postgres://app:x@db.shop.svc:5432/shop?sslmode=disable') },
  {
    ...base,
    ...f.pgPassword,
    before: built(f.pgPassword.before),
    files: PG('postgres://app:s3cr3t-wrong@127.0.0.1:5432/postgres?sslmode=disable'),
  },
  {
    ...base,
    ...f.pgNoDatabase,
    before: built(f.pgNoDatabase.before),
    files: PG('postgres://app:right@127.0.0.1:5432/orders?sslmode=disable'),
  },
  {
    ...base,
    ...f.pgNoTable,
    before: built(f.pgNoTable.before),
    files: PG('postgres://app:right@127.0.0.1:5432/postgres?sslmode=disable', 'select * from invoices'),
  },
  {
    ...base,
    ...f.pgRefused,
    name: 'postgres-tls',
    family: 'tls',
    before: built(f.pgPassword.before),
    files: PG('postgres://app:right@127.0.0.1:5432/postgres'),
    truth: { ids: ['exit-code', 'tls-mismatch'], must: ['SSL is not enabled'], mustNot: ['right@'] },
  },
  {
    ...base,
    ...f.redisRefused,
    files: go(
      'fmt log github.com/gomodule/redigo/redis',
      'if _, err := redis.Dial("tcp", "127.0.0.1:6379"); err != nil {\n\tlog.Fatal(err)\n}',
    ),
  },
  {
    ...base,
    ...f.redisPassword,
    before: built(f.redisPassword.before),
    files: go(
      'fmt github.com/gomodule/redigo/redis',
      'if _, err := redis.Dial("tcp", "127.0.0.1:6379", redis.DialPassword("s3cr3t-wrong")); err != nil {\n\tpanic(err)\n}',
    ),
  },
  {
    ...base,
    ...f.httpRefused,
    files: go(
      'fmt net/http os',
      'if _, err := http.Get("http://127.0.0.1:8081/health"); err != nil {\n\tfmt.Fprintln(os.Stderr, "error:", err)\n\tos.Exit(1)\n}',
    ),
  },
  {
    ...base,
    ...f.selfSigned,
    before: built(f.selfSigned.before),
    files: go(
      'fmt net/http log',
      'if _, err := http.Get("https://127.0.0.1:8443/"); err != nil {\n\tlog.Fatal(err)\n}',
    ),
  },
  {
    ...base,
    ...f.tlsToPlain,
    before: built(f.tlsToPlain.before),
    files: go(
      'fmt net/http log',
      'if _, err := http.Get("https://127.0.0.1:8443/"); err != nil {\n\tlog.Fatal(err)\n}',
    ),
    truth: { ids: ['exit-code', 'tls-mismatch'], must: ['TLS'] },
  },
  {
    ...base,
    ...f.portTaken,
    before: built(f.portTaken.before),
    files: go('fmt net/http log', 'log.Fatal(http.ListenAndServe(":8080", nil))'),
  },
  {
    ...base,
    ...f.privilegedPort,
    user: 1000,
    before: built('echo 1024 > /proc/sys/net/ipv4/ip_unprivileged_port_start'),
    files: go('fmt net/http log', 'log.Fatal(http.ListenAndServe(":80", nil))'),
  },
  {
    ...base,
    ...f.fileDenied,
    before: built(f.fileDenied.before),
    files: go(
      'fmt os log',
      'if _, err := os.OpenFile("/data/state.db", os.O_RDWR, 0); err != nil {\n\tlog.Fatal(err)\n}',
    ),
  },
  {
    ...base,
    ...f.readOnly,
    before: built(f.readOnly.before),
    files: go('fmt os', 'if err := os.WriteFile("/data/cache.json", nil, 0644); err != nil {\n\tpanic(err)\n}'),
  },
  {
    ...base,
    ...f.fullVolume,
    before: built(f.fullVolume.before),
    files: go(
      'fmt os log',
      'if err := os.WriteFile("/data/upload.bin", make([]byte, 3000000), 0644); err != nil {\n\tlog.Fatalln("upload:", err)\n}',
    ),
  },
  {
    ...base,
    ...f.missingFile,
    files: go(
      'fmt os log',
      'if _, err := os.ReadFile("/etc/app/settings.json"); err != nil {\n\tlog.Fatalf("settings: %v", err)\n}',
    ),
  },
  {
    ...base,
    ...f.malformedFile,
    files: {
      ...go(
        'fmt os encoding/json log',
        'data, _ := os.ReadFile("/etc/app/settings.json")\nvar v map[string]int\nif err := json.Unmarshal(data, &v); err != nil {\n\tlog.Fatalf("parse /etc/app/settings.json: %v", err)\n}',
      ),
      'etc/app/settings.json': '{"port": 8080,\n}',
    },
  },
  {
    ...base,
    ...f.missingVariable,
    files: go('fmt os log', 'if os.Getenv("DATABASE_URL") == "" {\n\tlog.Fatal("DATABASE_URL must be set")\n}'),
  },
  {
    ...base,
    name: 'nil-pointer',
    family: 'code',
    files: go('fmt', 'var s *Server\nfmt.Println(s.Port)', 'type Server struct{ Port int }\n'),
    truth: { ids: ['exit-code'], must: ['nil pointer dereference', 'main.go:'] },
  },
  {
    ...base,
    name: 'nil-map',
    family: 'code',
    files: go('fmt', 'var m map[string]int\nm["a"] = 1'),
    truth: { ids: ['exit-code'], must: ['assignment to entry in nil map'] },
  },
  {
    ...base,
    name: 'index',
    family: 'code',
    files: go('fmt os', 'fmt.Println(os.Args[7])'),
    truth: { ids: ['exit-code'], must: ['index out of range'] },
  },
  {
    ...base,
    name: 'deadlock',
    family: 'code',
    files: go('fmt', 'c := make(chan int)\n<-c'),
    truth: { ids: ['exit-code'], must: ['all goroutines are asleep'] },
  },
  {
    ...base,
    name: 'wrapped',
    family: 'code',
    files: go(
      'errors fmt log',
      'err := fmt.Errorf("load plans: %w", errors.New("plan 7 has no price"))\nlog.Fatal(fmt.Errorf("bootstrap: %w", err))',
    ),
    truth: { ids: ['exit-code'], must: ['plan 7 has no price'] },
  },
  {
    ...base,
    name: 'logrus-fatal',
    family: 'peer',
    files: go(
      'fmt net github.com/sirupsen/logrus',
      'logrus.Info("dialing")\nif _, err := net.Dial("tcp", "127.0.0.1:6400"); err != nil {\n\tlogrus.WithError(err).Fatal("ledger is away")\n}',
    ),
    truth: { ids: ['dependency-refused'], must: ['127.0.0.1:6400'] },
  },
  {
    ...base,
    name: 'logrus-json',
    family: 'config',
    files: go(
      'fmt github.com/sirupsen/logrus',
      'logrus.SetFormatter(&logrus.JSONFormatter{})\nlogrus.Info("start")\nlogrus.WithField("region", "mars-1").Fatal("unknown region mars-1")',
    ),
    truth: { ids: ['exit-code'], must: ['unknown region mars-1'] },
  },
  {
    ...base,
    name: 'zap-fatal',
    family: 'peer',
    files: go(
      'fmt net go.uber.org/zap',
      'log, _ := zap.NewProduction()\n_, err := net.Dial("tcp", "127.0.0.1:6400")\nlog.Fatal("cannot reach ledger", zap.Error(err))',
    ),
    truth: { ids: ['dependency-refused'], must: ['127.0.0.1:6400'] },
  },
  {
    ...base,
    name: 'bad-flag',
    family: 'config',
    run: 'exec ./app -verbos',
    files: go('flag fmt', 'flag.Bool("verbose", false, "more words")\nflag.Parse()'),
    truth: { ids: ['exit-code', 'bad-argument'], must: ['-verbos'] },
  },
  {
    ...base,
    name: 'too-many-files',
    family: 'limit',
    run: 'ulimit -n 20; exec ./app',
    files: go(
      'fmt os log',
      'for i := 0; i < 100; i++ {\n\tif _, err := os.Open("/etc/hosts"); err != nil {\n\t\tlog.Fatal(err)\n\t}\n\tkeep = append(keep, i)\n}',
      'var keep []int\n',
    ),
    truth: { ids: ['too-many-files', 'exit-code'], must: [] },
  },
  {
    ...base,
    name: 'time-out',
    family: 'peer',
    before: built('nohup nc -lk 127.0.0.1 9000 >/dev/null 2>&1 & sleep 0.3'),
    files: go(
      'fmt net/http time log',
      'c := http.Client{Timeout: time.Second}\nif _, err := c.Get("http://127.0.0.1:9000/rates"); err != nil {\n\tlog.Fatal(err)\n}',
    ),
    truth: { ids: ['exit-code', 'dependency-times-out'], must: ['127.0.0.1:9000'] },
  },
  {
    ...base,
    name: 'overcome-then-code',
    family: 'code',
    files: go(
      'fmt log',
      'log.Println("dial tcp 10.0.0.9:5432: connect: connection refused; retrying")\nlog.Println("connected to database")\nlog.Println("listening on :8080")\nvar jobs []int\nfmt.Println(jobs[3])',
    ),
    truth: { ids: ['exit-code'], must: ['index out of range'], mustNot: ['10.0.0.9'] },
  },
];
