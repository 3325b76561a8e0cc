/** Rule: the meaning of exit codes and signals, for ends that no other rule explains. */
import { calledScript } from '../../facts/configs/called-script.ts';
import { type Background, backgroundProgram } from '../../facts/pod/background.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { type Death, quoteDeath } from '../../facts/pod/deaths.ts';
import { lastLine, lastWord, quoteLastLines, quoteLine, saidNothing } from '../../facts/words/last-words.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { withoutRepeat } from '../../facts/words/repeats.ts';
import { saidBeside } from '../../facts/words/said-beside.ts';
import { signalOf } from '../../facts/pod/signals.ts';
import { listed, quotable } from '../../facts/words/text.ts';
import { parseTime } from '../../../lib/index.ts';
import { type DecisiveLine, decisiveLine, isSecretKey, maskSecrets } from '../../../log-analysis/index.ts';
import type { Finding, Quote, RankedFinding, Severity } from '../../finding.ts';
import { PROVING_LIFE_MS } from '../../limits.ts';
import { type ContainerRule, eachContainer, NOTHING, type PodRule } from '../../rule.ts';

/** Usual causes of signals. */
const SIGNAL_MEANINGS: Readonly<Record<string, string>> = {
  SIGABRT: 'it gave up itself (an assertion, or abort())',
  SIGBUS: 'it touched memory that is not there (often a full tmpfs or a truncated file)',
  SIGFPE: 'it divided by zero',
  SIGILL: 'it holds instructions that this CPU does not have',
  SIGSEGV: 'it touched memory that is not its own',
  SIGSYS: 'it made a system call that is not allowed (seccomp)',
  SIGPIPE: 'it wrote to a pipe that nobody reads',
};

const ofContainer: ContainerRule = (facts, container) => {
  const { death, killed } = container;
  if (death === undefined || killed !== undefined || death.reason === 'OOMKilled') return NOTHING;
  // Other rules explain containers that never ran.
  if (death.reason === 'StartError' || death.reason === 'ContainerCannotRun') return NOTHING;
  if (death.reason === 'ContainerStatusUnknown') return NOTHING;
  if (death.exitCode === 0) return completed(facts, container);
  return signalOf(death.exitCode) === undefined ? byCode(facts, container) : bySignal(facts, container);
};

export const exitCode: PodRule = eachContainer(ofContainer);

function byCode(facts: PodFacts, container: ContainerFacts): readonly RankedFinding[] {
  const code = container.death?.exitCode ?? 0;
  const usage =
    code === 2 ? lastWord(container, /usage|unrecognized|unknown (option|flag|command)|invalid option/i) : undefined;
  const isHelp = container.reading.decisive === undefined && HELP.test(container.reading.lastLine ?? '');
  const hint = usage === undefined && !isHelp ? '' : ': it does not understand its arguments';
  return [
    {
      ...base(facts, container),
      id: 'exit-code',
      rank: 40,
      fallback: true,
      says: `${headline(facts, container)}${hint}${otherFirst(container)}`,
      evidence: [
        ...whatHappened(container),
        ...quoteBeside(facts, container),
        ...quoteFirst(container),
        ...(usage === undefined && !isHelp ? [] : argumentsOf(container)),
      ],
      try: [
        commandForLog(facts, container),
        ...(usage === undefined && !isHelp ? [] : facts.commands.edit),
        ...commandForFirst(facts, container),
      ],
    },
  ];
}

/** A program that only says how it is called was called in another way. */
const HELP = /^usage\b.{0,102}:/i;

/** What the program said decides; an exit code alone says little. */
function headline(facts: PodFacts, container: ContainerFacts): string {
  const code = container.death?.exitCode ?? 0;
  const { decisive, lastError, lastLine } = container.reading;
  if (decisive === undefined && lastError !== undefined)
    return `${title(container)} ends with exit code ${code}, and its log does not say why; its last error before was: ${saidBy(lastError)}`;
  const beside = saidBeside(facts.evidence, container, facts.containers);
  if (beside !== undefined)
    return `${title(container)} ends with exit code ${code}; ${title(beside.container)}, which shares its volume ${beside.volume}, prints: ${saidBy(beside.said)}`;
  if (decisive === undefined && lastLine !== undefined)
    return `${title(container)} ends with exit code ${code}; its last line is: ${lastLine.replace(/\.+$/, '')}`;
  if (decisive === undefined)
    return `${title(container)} ends with exit code ${code}${saidNothing(facts, container) ? ' and says nothing' : ''}`;
  return `${title(container)} ends: ${saidBy(decisive)} (exit code ${code})`;
}

function quoteBeside({ evidence, containers }: PodFacts, container: ContainerFacts): readonly Quote[] {
  const beside = saidBeside(evidence, container, containers);
  return beside === undefined ? [] : [quoteLine(beside.container, beside.said.line)];
}

/** What gRPC prints of an error for those who mend gRPC. */
const DEBUG_TEXT = / debug_error_string ?= ?".*$/s;

/** The decisive line, with the place in the user's code when it is not in the line. */
export function saidBy({ line, place }: Pick<DecisiveLine, 'line' | 'place'>): string {
  const at = place === undefined || line.includes(place) ? '' : ` at ${place}`;
  return `${withoutRepeat(line.replace(DEBUG_TEXT, '').replace(/\.+$/, ''))}${at}`;
}

/** The first death, if it differs from the newest: the later deaths may only be its consequences. */
function firstDeath({ deaths, death }: ContainerFacts): Death | undefined {
  const first = deaths.at(-1);
  if (first?.number !== 1 || first === death || first.exitCode === death?.exitCode) return undefined;
  // A requested end, or one with exit code 0, explains nothing.
  return first.requested === undefined && first.exitCode !== 0 ? first : undefined;
}

function otherFirst(container: ContainerFacts): string {
  const first = firstDeath(container);
  return first === undefined ? '' : `; its first death was another: exit code ${first.exitCode}`;
}

function quoteFirst(container: ContainerFacts): readonly Quote[] {
  const first = firstDeath(container);
  if (first === undefined) return [];
  const tail = first.log?.tail.trimEnd().split('\n') ?? [];
  const line = first.log?.says ?? decisiveLine(tail)?.line ?? tail.at(-1) ?? '';
  const { name } = container;
  const words: readonly Quote[] =
    line === '' ? [] : [{ source: 'log', container: name, death: 1, line: quotable(line) }];
  return [quoteDeath(name, first), ...words];
}

function commandForFirst({ commands, name }: PodFacts, container: ContainerFacts): readonly string[] {
  if (firstDeath(container) === undefined) return [];
  return [commands.mendlet('logs', `pod/${name}`, '-c', container.name, '--death', '1')];
}

function bySignal(facts: PodFacts, container: ContainerFacts): readonly RankedFinding[] {
  const { death } = container;
  const code = death?.exitCode ?? 0;
  const signal = signalOf(code) ?? '';
  return [
    {
      ...base(facts, container),
      id: 'signal',
      rank: 45,
      fallback: true,
      says: `${title(container)} ends with exit code ${code}, ${signal}: ${saidBeforeSignal(signal, container)}${mayBeSentBy(facts, container)}`,
      evidence: whatHappened(container),
      try: [commandForLog(facts, container), facts.commands.mendlet('history', `pod/${facts.name}`)],
    },
  ];
}

/** Containers that share their processes may send each other signals. */
function mayBeSentBy({ pod, containers }: PodFacts, { name, death }: ContainerFacts): string {
  const isSent = SENT.has(signalOf(death?.exitCode ?? 0) ?? '');
  const others = containers.filter((other) => other.name !== name && other.status?.state?.running !== undefined);
  if (!isSent || pod.spec?.shareProcessNamespace !== true || others.length === 0) return '';
  return `; its pod's containers share their processes, so ${listed(others.map((other) => `container ${other.name}`))} may have sent it`;
}

const SENT: ReadonlySet<string> = new Set(['SIGHUP', 'SIGINT', 'SIGTERM', 'SIGKILL', 'SIGUSR1', 'SIGUSR2', 'SIGQUIT']);

/** The words of a program that aborts itself, else what the signal usually means. */
function saidBeforeSignal(signal: string, container: ContainerFacts): string {
  const { decisive } = container.reading;
  const byItself = signal === 'SIGABRT' || signal === 'SIGTRAP' || signal === 'SIGSEGV' || signal === 'SIGILL';
  if (!byItself || decisive?.firmness !== 'firm') return meaning(signal, container);
  // The first process of a container cannot abort as others do, and ends as if it had touched foreign memory.
  return signal === 'SIGSEGV' ? saidBy(decisive) : `${saidBy(decisive)}: ${meaning(signal, container)}`;
}

function meaning(signal: string, { death }: ContainerFacts): string {
  if (signal === 'SIGKILL') {
    return death?.number === undefined
      ? 'something killed it'
      : 'something killed it, and it was neither a probe nor, by the counters of its cgroup, a want of memory';
  }
  if (signal === 'SIGTERM') return 'something other than the node asked it to end';
  return SIGNAL_MEANINGS[signal] ?? 'somebody sent it, or it did itself';
}

/** A program that has work does not end so soon without a word, ms. */
const AT_ONCE_MS = 5000;

/** A script may prepare for a while before it leaves its server alone, ms. */
const LEFT_SOON_MS = 60_000;

/** Whether it runs again after at least two ends, and has not come as far as to be ready. */
function isBackAgain(facts: PodFacts, { status, death }: ContainerFacts): boolean {
  if (status?.state?.running === undefined || (status.restartCount ?? 0) < 2) return false;
  if (!status.ready) return true;
  // Without a probe a container counts as ready at once, and between two short lives, too.
  const endedMs = parseTime(death?.finishedAt ?? undefined);
  return (death?.livedMs ?? LEFT_SOON_MS) < LEFT_SOON_MS && endedMs !== undefined && facts.now - endedMs < LEFT_SOON_MS;
}

/** A program that ends with 0 under restartPolicy Always is started again and again. */
function completed(facts: PodFacts, container: ContainerFacts): readonly RankedFinding[] {
  const policy = facts.pod.spec?.restartPolicy ?? 'Always';
  const { waiting, terminated } = container.status?.state ?? {};
  const again = terminated !== undefined && (container.status?.restartCount ?? 0) > 0;
  const crashing = waiting?.reason === 'CrashLoopBackOff' || again;
  if (!(crashing || isBackAgain(facts, container)) || policy !== 'Always' || container.kind === 'init') return NOTHING;
  const path = container.spec.restartPolicy === undefined ? 'spec.restartPolicy' : `${container.path}.restartPolicy`;
  const { decisive } = container.reading;
  const behind = inBackground(facts, container);
  if (behind !== undefined && decisive?.firmness !== 'firm') {
    return [
      {
        ...base(facts, container),
        id: 'completed-under-always',
        rank: 62,
        says: `${title(container)} ends at once with 0: ${behind.name}${scriptText(facts, container)} goes to the background, and a container ends with its first process; start ${behind.name} in the foreground${behind.advice}`,
        evidence: [...whatHappened(container), ...argumentsOf(container)],
        try: [...facts.commands.edit, commandForLog(facts, container)],
      },
    ];
  }
  if (decisive !== undefined && !saysDone(container)) {
    return [
      {
        ...base(facts, container),
        id: 'exit-code',
        rank: 60,
        says: `${title(container)} ends: ${saidBy(decisive)} (with exit code 0, as if all were well)`,
        evidence: [...whatHappened(container), ...argumentsOf(container)],
        try: [commandForLog(facts, container), ...facts.commands.edit],
      },
    ];
  }
  const isAtOnce = (container.death?.livedMs ?? 0) < AT_ONCE_MS && container.lines.length === 0;
  const serves = (container.death?.livedMs ?? 0) < LEFT_SOON_MS ? lastLine(container, SERVES) : undefined;
  const isOfController =
    serves !== undefined
      ? `; ${lastWords(container).includes(quotable(serves.line)) ? 'that' : `its line ${JSON.stringify(quotable(serves.line))}`} says that it serves, so its first process perhaps leaves it in the background: it must not end before it`
      : shellAlone(container) !== ''
        ? shellAlone(container)
        : goesAway(container)
          ? '; it goes to the background, and a container ends with its first process: it has to stay in the foreground'
          : isAtOnce
            ? '; it says nothing, as a server does that goes to the background'
            : isServer(container)
              ? '; it has a port or is asked by probes, as a server is: its first process has to stay'
              : facts.commands.owned
                ? '; for a program that ends there are Job and CronJob'
                : '';
  return [
    {
      ...base(facts, container),
      id: 'completed-under-always',
      rank: 60,
      says: `${title(container)} ends by itself with exit code 0, and is restarted because the restart policy is Always${lastWords(container)}${isOfController}`,
      evidence: [
        ...whatHappened(container),
        { source: 'field', path, value: container.spec.restartPolicy ?? policy },
        ...argumentsOf(container),
      ],
      try: facts.commands.owned ? [commandForLog(facts, container), ...facts.commands.edit] : facts.commands.edit,
      manifest: facts.commands.owned ? undefined : 'spec:\n  restartPolicy: OnFailure\n',
    },
  ];
}

/** "removed 17 expired sessions", of work that was done; a line behind a weak one is its last word, too: "done". */
function saysDone({ reading: { decisive, live } }: ContainerFacts): boolean {
  if (decisive?.firmness !== 'weak') return false;
  return DONE.test(decisive.line) || DONE.test(live.at(-1) ?? '');
}

const DONE =
  /^(?:\W|\w{1,20}: )?(?:(?:all |job |task |work |sync |import |export |run |migration )?(?:done|finished|complete[d]?|success(?:ful(?:ly)?)?|ok|bye)\b|(?:removed|deleted|cleaned(?: up)?|purged|pruned|processed|synced|archived|rotated|expired|sent|wrote|imported|exported|migrated|applied|loaded) (?:\d|all |no )|nothing (?:to do|left))/i;

const SHELL = /^(?:sh|bash|ash|dash|zsh|ksh)$/;
const INTERPRETER = /^(?:sh|bash|ash|dash|zsh|ksh|python[\d.]*|node|nodejs|irb|jshell|php|lua[\d.]*|R|ghci|iex)$/;
/** Images whose own command is such a program. */
const BASE_IMAGE =
  /(?:^|\/)(?:debian|ubuntu|alpine|busybox|centos|fedora|rockylinux|almalinux|amazonlinux|archlinux|oraclelinux|python|node|buildpack-deps|ubi\d(?:-minimal)?)(?:[:@]|$)/;

/** "; bash has no command to run, and without a terminal (stdin, tty) it ends at once" */
function shellAlone({ spec, lines, death }: ContainerFacts): string {
  if (lines.length > 0 || (death?.livedMs ?? 0) >= AT_ONCE_MS || spec.stdin === true) return '';
  const words = [...(spec.command ?? []), ...(spec.args ?? [])];
  const [program = '', ...more] = words;
  const name = program.split('/').at(-1) ?? '';
  const [flag, script = '', ...rest] = more;
  if (SHELL.test(name) && /^-\w{0,3}c$/.test(flag ?? '') && rest.length > 0 && /^[\w./-]+$/.test(script))
    return `; ${name} -c takes ${script} alone for its command, and ${rest.join(' ').slice(0, 60)} for names of that ($0, $1): the command has to be one text`;
  if (words.length === 0 && BASE_IMAGE.test(spec.image ?? ''))
    return `; it has no command, and that of an image as ${spec.image ?? ''} is one that reads of a terminal, and ends at once without one`;
  return more.length === 0 && INTERPRETER.test(name)
    ? `; its command is ${program} alone, which reads what to do of a terminal or of its input, has none (stdin, tty), and ends at once`
    : '';
}

/** What programs say that leave their work to a process in the background, and how they are asked to. */
const SAYS_AWAY =
  /\b(?:start|runn?|work|serv|continu|go|mov)\w* (?:\w+ )?(?:in|into|to) (?:the )?background\b|\bdaemoni[sz](?:ed|ing|e)\b|\bdetach(?:ed|ing) (?:from|into|process)|\bforked (?:to|into|child|daemon)|\bstarted (?:as )?(?:a )?daemon\b/i;
const ASKS_AWAY = /(?:^|\s)--?(?:daemon(?:i[sz]e)?|background|detach(?:ed)?|fork)(?:[= ](?:yes|true|1|on))?(?=\s|$)/;

/** Whether a container that ended soon has left its work to the background, by its own words or its command. */
function goesAway({ lines, spec, death }: ContainerFacts): boolean {
  if ((death?.livedMs ?? 0) >= LEFT_SOON_MS) return false;
  const command = [...(spec.command ?? []), ...(spec.args ?? [])].join(' ').slice(0, 4000);
  return ASKS_AWAY.test(command) || lines.slice(-AWAY_LINES).some((line) => SAYS_AWAY.test(line));
}

const AWAY_LINES = 5;

/** What a server says that has begun to listen. */
const SERVES =
  /\b(?:listening|listens|serving|accepting (?:connections|requests)|ready for connections|ready to accept|server (?:is )?(?:running|started|ready|up)|(?:running|started|available) (?:on|at) (?:port|http|\S{1,60}:\d))/i;

/** ", which its script /conf/start.sh of ConfigMap web calls," */
function scriptText(facts: PodFacts, container: ContainerFacts): string {
  const script = calledScript(facts, container);
  return script === undefined ? '' : `, which its script ${script.file} of ${script.of} calls,`;
}

/** Whether others are to reach it. */
function isServer({ spec }: ContainerFacts): boolean {
  return (spec.ports ?? []).length > 0 || spec.readinessProbe !== undefined || spec.livenessProbe !== undefined;
}

/** The program that has gone to the background, of a container that ends soon. */
function inBackground(facts: PodFacts, container: ContainerFacts): Background | undefined {
  return (container.death?.livedMs ?? 0) < LEFT_SOON_MS
    ? backgroundProgram(container, calledScript(facts, container)?.text)
    : undefined;
}

/** Whether its work was done, or there was none for it, only its own words can tell. */
function lastWords({ reading: { lastError, lastLine, live } }: ContainerFacts): string {
  const said = lastError?.line ?? lastLine ?? live.at(-1);
  return said === undefined ? '' : `; its last words are: ${quotable(said).replace(/\.+$/, '')}`;
}

function base(facts: PodFacts, container: ContainerFacts): { severity: Severity; topic: string; container: string } {
  return { severity: severityOf(container), topic: `end/${container.name}`, container: container.name };
}

/** A container that runs again is only a warning, unless it has never come as far as to be ready since. */
export function severityOf({ trouble, status, death }: ContainerFacts): Severity {
  const runsAgain = trouble === 'died-lately' || trouble === 'keeps-dying';
  const isDown = status?.ready === false && (death?.livedMs ?? 0) < PROVING_LIFE_MS;
  return runsAgain && !isDown ? 'warning' : 'critical';
}

/** "init container migrate" */
export function title({ kind, name }: ContainerFacts): string {
  return kind === 'container' ? `container ${name}` : `${kind === 'init' ? 'init container' : 'sidecar'} ${name}`;
}

function whatHappened(container: ContainerFacts): readonly Quote[] {
  const { name, death } = container;
  return death === undefined ? [] : [quoteDeath(name, death), ...quoteLastLines(container, 3)];
}

export function argumentsOf({ path, spec }: ContainerFacts): readonly Quote[] {
  const quote = (field: 'command' | 'args'): readonly Quote[] =>
    spec[field] === undefined || spec[field] === null
      ? []
      : [{ source: 'field', path: `${path}.${field}`, value: maskSecrets(JSON.stringify(spec[field])).slice(0, 200) }];
  return [...quote('command'), ...quote('args')];
}

/** Prints the log of the life that ended, which is the current log of a container that is not restarted. */
export function commandForLog({ commands, name }: PodFacts, container: ContainerFacts): string {
  return container.status?.state?.terminated === undefined
    ? commands.previousLog(container.name)
    : commands.kubectl('logs', name, '-c', container.name);
}

/** What in a line names something: peers, files, quoted words and variables, each as it stands there. */
const NAMING =
  /(?<!\w)["'`‘“]([\w./:@ -]{3,80})["'`’”]|(?:^|[\s(=[<])(\/[\w@%+=.,~#/-]{2,200}\w)|\b([\w-]{1,63}(?:\.[\w-]{1,63}){0,8}:\d{2,5})\b|\b([A-Z][A-Z0-9]*_[A-Z0-9_]{2,})\b/g;
const MAX_LINE_IN_HEADLINE = 200;

/** The headline, with the line where that names what the headline does not. */
function withNames(says: string, line: string): string {
  const names = [...line.matchAll(NAMING)].flatMap(([, ...groups]) => groups.find((each) => each !== undefined) ?? []);
  if (says.includes(line.slice(0, 40)) || names.every((name) => says.includes(name))) return says;
  const flat = quotable(line).replace(/\.+$/, '');
  // A line behind the name of a secret variable would be masked as its value.
  const sign = isSecretKey(says.split(' ').at(-1) ?? '') ? ', as it says: ' : ': ';
  return `${says}${sign}${flat.length <= MAX_LINE_IN_HEADLINE ? flat : `${flat.slice(0, 80)} … ${flat.slice(-117)}`}`;
}

/** A finding about the end of a container that its last log lines explain. */
export function explainedEnd(
  facts: PodFacts,
  container: ContainerFacts,
  finding: Pick<Finding, 'id' | 'says' | 'try' | 'manifest'> & { rank: number; line: string; more?: readonly Quote[] },
): RankedFinding {
  const { line, more = [], says, ...others } = finding;
  const rest = { ...others, says: says === '' ? says : withNames(says, line) };
  const death = container.death === undefined ? [] : [quoteDeath(container.name, container.death)];
  return {
    ...base(facts, container),
    ...rest,
    evidence: [...death, ...(line === '' ? [] : [quoteLine(container, line)]), ...more],
  };
}
