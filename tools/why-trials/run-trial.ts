/** Runs one trial: the program in namespaces of its own, on an overlay of the root, with its output in one file. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tmpdir } from 'node:os';
import {
  MAX_RECORDED_BYTES,
  MAX_RECORDED_CHARACTERS,
  MAX_RECORDED_LINES,
  type Recording,
  type Trial,
} from './trial.ts';

const PATH = '/usr/lib/postgresql/15/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const DEFAULT_SECONDS = 20;
const HEALTHY_SECONDS = 4;

/** Throws when the trial cannot be set up; that the program fails is its purpose. */
export function runTrial(root: string, trial: Trial): Recording {
  const work = mkdtempSync(join(tmpdir(), 'why-trial-'));
  try {
    writeFiles(work, trial, root);
    const begin = Date.now();
    const { status, stderr, error } = spawnSync(
      'unshare',
      ['-m', '-p', '-n', '-u', '-i', '--fork', '--kill-child', 'sh', join(work, 'outside.sh')],
      { encoding: 'utf8', timeout: 120_000, killSignal: 'SIGKILL', env: { PATH: process.env.PATH } },
    );
    const seconds = Math.round((Date.now() - begin) / 100) / 10;
    if (error !== undefined || status !== 0) {
      throw new Error(`${trial.program}/${trial.name} cannot be set up: ${error?.message ?? stderr}`);
    }
    const exit = readFileSync(join(work, 'out/exit'), 'utf8').trim();
    return {
      program: trial.program,
      name: trial.name,
      family: trial.family,
      truth: trial.truth,
      ...(trial.pod === undefined ? {} : { pod: trial.pod }),
      user: trial.user ?? 0,
      ...(exit === 'running' ? {} : { exitCode: Number(exit) }),
      seconds,
      lines: recordedLines(readFileSync(join(work, 'out/log'), 'utf8')),
    };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function writeFiles(work: string, trial: Trial, lower: string): void {
  for (const folder of ['out', 'upper', 'work', 'root']) mkdirSync(join(work, folder));
  for (const [path, given] of Object.entries(trial.files ?? {})) {
    const [text, mode] = typeof given === 'string' ? [given, 0o644] : given;
    const file = join(work, 'upper', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    chmodSync(file, mode);
  }
  writeFileSync(join(work, 'inside.sh'), inside(trial));
  writeFileSync(join(work, 'outside.sh'), outside(work, lower));
}

function outside(work: string, lower: string): string {
  return `set -e
root=${lower}
mount --make-rprivate /
mkdir ${work}/tmpfs && mount -t tmpfs none ${work}/tmpfs && mkdir ${work}/tmpfs/upper ${work}/tmpfs/work
cp -a ${work}/upper/. ${work}/tmpfs/upper/
mount -t overlay overlay -o lowerdir=$root,upperdir=${work}/tmpfs/upper,workdir=${work}/tmpfs/work ${work}/root
mkdir -p ${work}/root/out && mount --bind ${work}/out ${work}/root/out
mount -t proc proc ${work}/root/proc
mount -t tmpfs none ${work}/root/dev && for d in null zero random urandom full tty; do touch ${work}/root/dev/$d; mount --bind /dev/$d ${work}/root/dev/$d; done
ln -s /proc/self/fd ${work}/root/dev/fd; ln -s /proc/self/fd/1 ${work}/root/dev/stdout; ln -s /proc/self/fd/2 ${work}/root/dev/stderr; mkdir -m 1777 ${work}/root/dev/shm
ip link set lo up; hostname trial
cp ${work}/inside.sh ${work}/root/out/inside.sh
chroot ${work}/root /bin/bash /out/inside.sh
`;
}

function inside({ before = ':', run, user = 0, env = {}, during, seconds, truth }: Trial): string {
  const healthy = 'healthy' in truth;
  const limit = seconds ?? (healthy ? HEALTHY_SECONDS : DEFAULT_SECONDS);
  const variables = Object.entries(env)
    .map(([name, value]) => `export ${name}=${quoted(value)}`)
    .join('\n');
  const as = user === 0 ? '' : `setpriv --reuid=${user} --regid=${user} --clear-groups `;
  return `export PATH=${PATH} HOME=/tmp LANG=C.UTF-8
cd /app
(
${before}
) >/out/before.log 2>&1 || { cat /out/before.log >&2; exit 90; }
${variables}
cat >/out/run.sh <<'END_OF_RUN'
cd /app
${run}
END_OF_RUN
touch /out/log; chmod 666 /out/log
${as}bash /out/run.sh >/out/log 2>&1 </dev/null &
pid=$!
${during === undefined ? '' : `( ${during}\n) >/out/during.log 2>&1 &`}
for tick in $(seq 1 ${limit * 5}); do kill -0 $pid 2>/dev/null || break; sleep 0.2; done
if kill -0 $pid 2>/dev/null; then cp /out/log /out/log.then; mv /out/log.then /out/log; echo running >/out/exit
else wait $pid; echo $? >/out/exit; fi
exit 0
`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The last lines, as a black box would keep them for a first death. */
function recordedLines(log: string): readonly string[] {
  const lines = log.split('\n').map((line) => line.slice(0, MAX_RECORDED_CHARACTERS));
  if (lines.at(-1) === '') lines.pop();
  const kept = lines.slice(-MAX_RECORDED_LINES);
  while (kept.join('\n').length > MAX_RECORDED_BYTES) kept.shift();
  return kept;
}
