/**
 * A program that writes to a volume and says outside of it what fsync acknowledged, and the reader of what it wrote. A record
 * that was said must be in the volume for ever, whatever is killed, and whenever the power fails.
 */

/** A line of the log: number, writer, and an end that a torn line lacks. */
const RECORD = /^(\d+) ([0-9a-f-]{36}) \.$/;

/**
 * For the shell of busybox. Says `start VOLUME WRITER N`, with the last number that it found, then `ack VOLUME WRITER N` for each
 * record. Each start of the program is another writer. It ends when nobody listens any more.
 * @param mountPath of the volume in the container; volumes are told apart by the variable VOLUME, or by their folder on the host
 * @param pauseMs between two records
 */
export function writerScript(host: string, port: number, mountPath = '/data', pauseMs = 50): string {
  const number = String.raw`s/^\([0-9]*\) [-0-9a-f]* \.$/\1/p`;
  const volume = String.raw`s|^.*/\(pvc-[-0-9a-f]*\)/data ${mountPath} .*|\1|p`;
  return `
trap 'exit 0' TERM
cd ${mountPath} || exit 1
[ -e log ] || { : >>log; sync log .; } || exit 1
write() {
  volume=\${VOLUME:-$(sed -n '${volume}' /proc/self/mountinfo)}
  writer=$(cat /proc/sys/kernel/random/uuid)
  n=$(sed -n '${number}' log | tail -n 1)
  n=\${n:-0}
  echo "start $volume $writer $n"
  echo >>log
  while :; do
    n=$((n + 1))
    echo "$n $writer ." >>log && sync log || exit 1
    echo "ack $volume $writer $n"
    usleep ${pauseMs}000
  done
}
write | nc ${host} ${port} &
wait`;
}

export interface WrittenLog {
  /** Numbers of whole records. */
  readonly numbers: ReadonlySet<number>;
  /** In the order of their records; one that comes twice wrote beside another. */
  readonly writers: readonly string[];
}

/** Reads the file `log` of a volume. Pure. */
export function readLog(text: string): WrittenLog {
  const numbers = new Set<number>();
  const writers: string[] = [];
  for (const line of text.split('\n')) {
    const [, number, writer] = RECORD.exec(line) ?? [];
    if (number === undefined || writer === undefined) continue;
    numbers.add(Number(number));
    if (writers.at(-1) !== writer) writers.push(writer);
  }
  return { numbers, writers };
}

/** The first acknowledged number that the log lacks; `undefined`: none. Pure. */
export function firstLost({ numbers }: Pick<WrittenLog, 'numbers'>, acknowledged: number): number | undefined {
  for (let n = 1; n <= acknowledged; n += 1) if (!numbers.has(n)) return n;
  return undefined;
}

/** A writer that wrote after another one had begun. Pure. */
export function overlapping({ writers }: Pick<WrittenLog, 'writers'>): string | undefined {
  return writers.find((writer, at) => writers.indexOf(writer) !== at);
}
