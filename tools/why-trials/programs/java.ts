/** Trials of Java 17: single source files, JDBC, logback. */
import { CLIENT_FAULTS } from '../peers.ts';
import type { Trial } from '../trial.ts';

const program = 'java';
const CLASSPATH =
  '/usr/share/java/postgresql.jar:/usr/share/java/slf4j-api.jar:/usr/share/java/logback-classic.jar:/usr/share/java/logback-core.jar:/app/classes';
const java = (body: string, outside = ''): Trial['files'] => ({
  'app/Main.java': `import java.util.*;\nimport java.io.*;\nimport java.nio.file.*;\n${outside}\npublic class Main {\n  public static void main(String[] args) throws Exception {\n    System.out.println("starting");\n    ${body}\n  }\n}\n`,
});
const COMPILE = 'javac -cp /usr/share/java/slf4j-api.jar:/usr/share/java/postgresql.jar -d /app/classes /app/Main.java';
const run = `exec java -cp ${CLASSPATH} Main`;
const built = (before = ''): string => `${before === '' ? '' : `${before}\ncd /app\n`}${COMPILE}`;
const base = { program, run, before: COMPILE, seconds: 30 };
const JDBC = (url: string, sql = 'select 1'): string =>
  `java.sql.DriverManager.getConnection("${url}", "app", System.getenv("PW")).createStatement().executeQuery("${sql}");`;
const f = CLIENT_FAULTS;

export const javaTrials: readonly Trial[] = [
  { ...base, ...f.pgRefused, env: { PW: 'x' }, files: java(JDBC('jdbc:postgresql://127.0.0.1:5432/shop')) },
  { ...base, ...f.pgNoName, env: { PW: 'x' }, files: java(JDBC('jdbc:postgresql://db.shop.svc:5432/shop')) },
  {
    ...base,
    ...f.pgPassword,
    before: built(f.pgPassword.before),
    env: { PW: 's3cr3t-wrong' },
    files: java(JDBC('jdbc:postgresql://127.0.0.1:5432/postgres')),
  },
  {
    ...base,
    ...f.pgNoDatabase,
    before: built(f.pgNoDatabase.before),
    env: { PW: 'right' },
    files: java(JDBC('jdbc:postgresql://127.0.0.1:5432/orders')),
  },
  {
    ...base,
    ...f.pgNoTable,
    before: built(f.pgNoTable.before),
    env: { PW: 'right' },
    files: java(JDBC('jdbc:postgresql://127.0.0.1:5432/postgres', 'select * from invoices')),
  },
  {
    ...base,
    ...f.httpRefused,
    truth: { ids: ['dependency-refused'], must: [] },
    files: java(
      'java.net.http.HttpClient.newHttpClient().send(java.net.http.HttpRequest.newBuilder(java.net.URI.create("http://127.0.0.1:8081/health")).build(), java.net.http.HttpResponse.BodyHandlers.ofString());',
    ),
  },
  {
    ...base,
    ...f.selfSigned,
    run: `exec java -Djavax.net.ssl.trustStore=/etc/ssl/certs/java/cacerts -Djavax.net.ssl.trustStorePassword=changeit -cp ${CLASSPATH} Main`,
    before: built(f.selfSigned.before),
    files: java('new java.net.URL("https://127.0.0.1:8443/").openStream().read();'),
  },
  {
    ...base,
    ...f.portTaken,
    before: built(f.portTaken.before),
    truth: { ids: ['port-in-use'], must: [] },
    files: java('com.sun.net.httpserver.HttpServer.create(new java.net.InetSocketAddress(8080), 0).start();'),
  },
  {
    ...base,
    ...f.fileDenied,
    before: built(f.fileDenied.before),
    files: java('new FileOutputStream("/data/state.db", true).write(1);'),
  },
  {
    ...base,
    ...f.readOnly,
    before: built(f.readOnly.before),
    files: java('Files.writeString(Path.of("/data/cache.json"), "{}");'),
  },
  {
    ...base,
    ...f.fullVolume,
    before: built(f.fullVolume.before),
    files: java('Files.write(Path.of("/data/upload.bin"), new byte[3_000_000]);'),
  },
  { ...base, ...f.missingFile, files: java('new Properties().load(new FileReader("/etc/app/settings.json"));') },
  {
    ...base,
    ...f.missingVariable,
    files: java(
      'Objects.requireNonNull(System.getenv("DATABASE_URL"), "environment variable DATABASE_URL is not set");',
    ),
  },
  { ...base, ...f.missingModule('com.acme.Plugin'), files: java('Class.forName("com.acme.Plugin");') },
  {
    ...base,
    name: 'no-main-class',
    family: 'config',
    run: `exec java -cp ${CLASSPATH} com.acme.Shop`,
    files: java(''),
    truth: { ids: ['exit-code', 'missing-module'], must: ['com.acme.Shop'] },
  },
  {
    ...base,
    name: 'no-jar',
    family: 'config',
    run: 'exec java -jar /app/shop.jar',
    files: java(''),
    truth: { ids: ['exit-code', 'missing-setting', 'missing-module'], must: ['/app/shop.jar'] },
  },
  {
    ...base,
    name: 'bad-jvm-option',
    family: 'config',
    run: `exec java -XX:MaxRamPercentag=75 -cp ${CLASSPATH} Main`,
    files: java(''),
    truth: { ids: ['exit-code', 'bad-argument'], must: ['MaxRamPercentag=75'] },
  },
  {
    ...base,
    name: 'heap-too-large',
    family: 'limit',
    run: `exec java -Xms900g -Xmx900g -XX:+AlwaysPreTouch -cp ${CLASSPATH} Main`,
    files: java(''),
    truth: { ids: ['exit-code', 'heap-exhausted', 'no-memory'], must: ['memory'] },
  },
  {
    ...base,
    name: 'heap-full',
    family: 'limit',
    run: `exec java -Xmx16m -cp ${CLASSPATH} Main`,
    files: java('List<byte[]> all = new ArrayList<>(); while (true) all.add(new byte[1_000_000]);'),
    truth: { ids: ['heap-exhausted'], must: ['heap'] },
  },
  {
    ...base,
    name: 'null-pointer',
    family: 'code',
    files: java('String name = args.length > 5 ? "a" : null; System.out.println(name.length());'),
    truth: { ids: ['exit-code'], must: ['NullPointerException', 'Main.java:8'] },
  },
  {
    ...base,
    name: 'cause-chain',
    family: 'code',
    files: java(
      'try { Integer.parseInt("eleven"); } catch (NumberFormatException e) { throw new IllegalStateException("could not start", e); }',
    ),
    truth: { ids: ['exit-code'], must: ['eleven'] },
  },
  {
    ...base,
    name: 'static-initializer',
    family: 'code',
    files: java(
      'System.out.println(Price.PLAN);',
      'class Price { static final int PLAN = Integer.parseInt(System.getProperty("plan", "seven")); }',
    ),
    truth: { ids: ['exit-code'], must: ['seven'] },
  },
  {
    ...base,
    name: 'stack-overflow',
    family: 'code',
    files: {
      'app/Main.java':
        'public class Main {\n  static int walk(int n) { return walk(n + 1) + 1; }\n  public static void main(String[] args) { walk(0); }\n}\n',
    },
    truth: { ids: ['exit-code'], must: ['StackOverflowError'] },
  },
  {
    ...base,
    name: 'logback-error',
    family: 'peer',
    files: java(
      'var log = org.slf4j.LoggerFactory.getLogger("com.acme.Boot"); log.info("connecting"); try { new java.net.Socket("127.0.0.1", 6400); } catch (IOException e) { log.error("ledger at 127.0.0.1:6400 is away", e); System.exit(2); }',
    ),
    truth: { ids: ['dependency-refused'], must: ['127.0.0.1:6400'] },
  },
  {
    ...base,
    name: 'util-logging',
    family: 'config',
    files: java(
      'java.util.logging.Logger.getLogger("shop").severe("no tenant is configured: set shop.tenants"); System.exit(3);',
    ),
    truth: { ids: ['exit-code', 'missing-setting'], must: ['no tenant is configured'] },
  },
  {
    ...base,
    name: 'class-version',
    family: 'code',
    before:
      'mkdir -p classes; javac -d classes Main.java; printf "\\x00\\x41" | dd of=classes/Main.class bs=1 seek=6 conv=notrunc 2>/dev/null',
    files: java(''),
    truth: { ids: ['exit-code', 'version-mismatch'], must: ['class file version'] },
  },
  {
    ...base,
    name: 'missing-resource',
    family: 'file',
    files: java(
      'var in = Main.class.getResourceAsStream("/banner.txt"); if (in == null) throw new FileNotFoundException("banner.txt is not on the class path");',
    ),
    truth: { ids: ['exit-code', 'missing-setting'], must: ['banner.txt'] },
  },
  {
    ...base,
    name: 'too-many-threads',
    family: 'limit',
    user: 1234,
    run: `ulimit -u 24; exec java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp ${CLASSPATH} Main`,
    files: java(
      'for (int i = 0; i < 200; i++) new Thread(() -> { try { Thread.sleep(9000); } catch (Exception e) {} }).start();',
    ),
    truth: { ids: ['too-many-processes'], must: [] },
  },
  {
    ...base,
    name: 'overcome-then-code',
    family: 'code',
    files: java(
      'System.err.println("ERROR connection to 10.0.0.9:5432 refused, retry in 1 s"); System.out.println("INFO connected to database"); System.out.println("INFO Started Main in 1.2 seconds"); Map.of("a", 1).put("b", 2);',
    ),
    truth: { ids: ['exit-code'], must: ['UnsupportedOperationException'], mustNot: ['10.0.0.9'] },
  },
];
