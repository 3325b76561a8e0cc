/** Rule: a container never ran: its program is missing, not executable or for another architecture, or the runtime refused. */
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { eventsWith, quoteEvent } from '../../facts/pod/events.ts';
import { quoteDeath } from '../../facts/pod/deaths.ts';
import { because } from '../../facts/words/innermost.ts';
import { lastLine, type LastWord, lastWord } from '../../facts/words/last-words.ts';
import { limitQuote, memoryLimit } from '../../facts/pod/memory.ts';
import { placeOf, volumeOf } from '../../facts/files/mounts.ts';
import { fileAt } from '../../facts/configs/config-files.ts';
import { textOf } from '../../facts/configs/config-lines.ts';
import { shellVariable } from '../ends/missing-setting.ts';
import { libraryText } from '../../facts/files/library-places.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { interpreterOf, modeText } from '../../facts/files/script-files.ts';
import { fileIn } from '../../../log-analysis/index.ts';
import { quotable } from '../../facts/words/text.ts';
import type { Quote, RankedFinding } from '../../finding.ts';
import { type ContainerRule, eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { argumentsOf, explainedEnd, severityOf, title } from '../ends/exit-code.ts';
import { TOO_LITTLE_MEMORY } from './sandbox.ts';

const EXEC = /exec: "?([^":]+)"?: (?:stat [^:]+: )?(.*)|executable file [`']([^`']+)[`'] not found/;
const NOT_FOUND = /no such file or directory|executable file (?:[`'][^`']{1,300}[`'] )?not found/i;
const WRONG_ARCHITECTURE = /exec format error/i;
/** The message of a shell that reads a foreign binary as a script. */
const BINARY_AS_SCRIPT = /^(\S+): (?:line )?\d+: .?ELF/;
/** "exec /app/serve: exec format error", "/app/serve: cannot execute binary file: Exec format error" */
const FOREIGN_PROGRAM = /exec ([^:\s]+):|(\/[^:\s]+): (?!line \d)/;
/** The message of runc's init when its exec fails. */
const NOTHING_TO_EXEC = /^exec (\S+): no such file or directory$/;
/** A profile that the node does not have. */
const PROFILE =
  /cannot load (seccomp) profile "([^"]{1,500})": .*no such file|(apparmor) profile "?([^"\s]{1,200})"? (?:is )?not (?:found|loaded)/i;
const NOT_ALLOWED = /permission denied/;
/** The message of the runtime's init for E2BIG; shells print it with a capital letter. */
const TOO_MUCH_TO_PASS = /argument list too long/;
const NOTHING_TO_PASS_TO = /^exec \S+: argument list too long$/;
/** The node agent's own messages about arguments that the kernel would refuse. */
const CANNOT_BE_PASSED = /can ?not be passed|can be passed|once expanded$/;
const MOUNT_MISMATCH = /error mounting .*(?:not a directory|directory onto a file)/s;
/** A library that the program is linked with. */
const LIBRARY = /shared libraries: ([^\s:]+):|version [`']([^'`]+)' not found/;
/** Messages of shells about a missing command, whose name precedes them. */
const SHELL_NOT_FOUND =
  /(?:^|[\s:])(?:exec(?:uting|ve)?\b:? ["'`]?)?([^\s:"'`]+)["'`]?(?::| failed:) (?:command not found|not found|no such file or directory|cannot execute: required file not found)|Unknown command:? ([\w./-]{1,200})|(?:can't open|cannot execute|can't execute|env:) ['‘]?([^\s'’:]+)['’]?.*No such file/i;

const ofContainer: ContainerRule = (facts, container) => {
  const refusal = refusalOf(container);
  if (refusal !== undefined) return refused(facts, container, refusal);
  return ranInVain(facts, container);
};

export const startErrors: PodRule = eachContainer(ofContainer);

interface Refusal {
  readonly text: string;
  readonly quotes: readonly Quote[];
}

/** The runtime's refusal: CreateContainerError, RunContainerError, StartError. */
function refusalOf(container: ContainerFacts): Refusal | undefined {
  const { death, status, path } = container;
  const waiting = status?.state?.waiting;
  if (waiting?.reason === 'CreateContainerConfigError' && CANNOT_BE_PASSED.test(waiting.message ?? '')) {
    const quote: Quote = { source: 'field', path: `${path}: state.waiting`, value: quotable(waiting.message ?? '') };
    return { text: 'argument list too long', quotes: [quote] };
  }
  if (waiting?.reason === 'CreateContainerError' || waiting?.reason === 'RunContainerError') {
    const at = `${path}: state.waiting`;
    const text = waiting.message ?? '';
    return { text, quotes: [{ source: 'field', path: at, value: `${waiting.reason}: ${quotable(text)}` }] };
  }
  if (death?.reason !== 'StartError' && death?.reason !== 'ContainerCannotRun') return undefined;
  return { text: death.message ?? '', quotes: [quoteDeath(container.name, death)] };
}

function refused(facts: PodFacts, container: ContainerFacts, refusal: Refusal): readonly RankedFinding[] {
  const { text } = refusal;
  const exec = EXEC.exec(text);
  const program = exec?.[1] ?? exec?.[3];
  // An event that repeats the message is not quoted.
  const [event] = eventsWith(container.events, 'Failed').filter(({ message = '' }) => !message.includes(text));
  const base = {
    severity: severityOf(container),
    topic: `end/${container.name}`,
    container: container.name,
    evidence: [...refusal.quotes, ...argumentsOf(container), ...(event === undefined ? [] : [quoteEvent(event)])],
    try: facts.commands.edit,
  };
  if (TOO_LITTLE_MEMORY.test(text)) return [tooLittleMemory(facts, container, base)];
  if (TOO_MUCH_TO_PASS.test(text)) return [tooMuchToPass(container, base)];
  if (MOUNT_MISMATCH.test(text)) return [mountMismatch(container, base, text)];
  if (WRONG_ARCHITECTURE.test(text)) return [wrongArchitecture(facts, container, base, program)];
  if (program !== undefined && NOT_FOUND.test(text)) {
    const { where, quotes } = placeOf(facts, container, program);
    const says = /\s/.test(program)
      ? `${title(container)} cannot start: its command is one text, ${JSON.stringify(program)}, so the whole of it is looked for as one program; each word is an entry of its own`
      : `${title(container)} cannot start: its program ${program} is not ${where}`;
    return [{ ...base, id: 'missing-binary', rank: 92, says, evidence: [...base.evidence, ...quotes] }];
  }
  if (program !== undefined && NOT_ALLOWED.test(text)) {
    const { where, quotes, executable } = placeOf(facts, container, program);
    const says = `${title(container)} cannot start: ${program} ${where} may not be executed${modeText(facts, container, program)}`;
    const evidence = [...base.evidence, ...quotes];
    return [{ ...base, id: 'not-executable', rank: 92, says, evidence, manifest: executable }];
  }
  const profile = PROFILE.exec(text);
  const named = profile === null ? undefined : (localProfile(facts, container) ?? profile[2] ?? profile[4] ?? '');
  const what =
    profile === null
      ? 'the runtime refuses it'
      : `its ${(profile[1] ?? profile[3] ?? '').toLowerCase()} profile ${named} is not on node ${facts.pod.spec?.nodeName ?? ''}`;
  const says = `${title(container)} cannot start: ${what}${because(text)}`;
  return [
    { ...base, id: 'start-refused', rank: 60, says, try: [facts.commands.kubectl('describe', `pod/${facts.name}`)] },
  ];
}

/** "audit.json (seccompProfile.localhostProfile)", by its specification. */
function localProfile({ pod }: PodFacts, { spec }: ContainerFacts): string | undefined {
  for (const field of ['seccompProfile', 'appArmorProfile'] as const) {
    const name = (spec.securityContext?.[field] ?? pod.spec?.securityContext?.[field])?.localhostProfile;
    if (name !== undefined && name !== null) return `${name} (${field}.localhostProfile)`;
  }
  return undefined;
}

/** A shell, or the runtime's init, ran and did not find the program. */
function ranInVain(facts: PodFacts, container: ContainerFacts): readonly RankedFinding[] {
  const { death } = container;
  if (death === undefined || container.killed !== undefined || death.exitCode === 0) return NOTHING;
  const foreign = foreignProgram(container);
  if (foreign !== undefined) {
    const base = explainedEnd(facts, container, { id: '', says: '', rank: 0, try: [], line: foreign.line });
    return [wrongArchitecture(facts, container, base, foreign.program)];
  }
  const tooMuch = lastWord(container, NOTHING_TO_PASS_TO);
  if (tooMuch !== undefined) {
    const base = explainedEnd(facts, container, {
      id: '',
      says: '',
      rank: 0,
      try: facts.commands.edit,
      line: tooMuch.line,
    });
    return [tooMuchToPass(container, base)];
  }
  const absent = lastWord(container, NOTHING_TO_EXEC);
  if (absent !== undefined) return [noInterpreter(facts, container, absent)];
  // A shell ends with 127, too, for a variable that must be set.
  if (death.exitCode === 127)
    return saysOtherwise(container) || shellVariable(container) !== undefined
      ? NOTHING
      : missingCommand(facts, container);
  if (death.exitCode === 126) return notExecutable(facts, container);
  return NOTHING;
}

/** A program for another architecture, by the kernel's error or by that of a shell that tried to read it. */
function foreignProgram(container: ContainerFacts): { readonly line: string; readonly program?: string } | undefined {
  const refused = lastWord(container, WRONG_ARCHITECTURE);
  if (refused !== undefined) {
    const program = FOREIGN_PROGRAM.exec(refused.line);
    return { line: refused.line, program: program?.[1] ?? program?.[2] };
  }
  const misread = lastWord(container, BINARY_AS_SCRIPT);
  return misread === undefined ? undefined : { line: misread.line, program: misread.match[1] };
}

/** The file or its interpreter is missing; the kernel's error is the same for both. */
function noInterpreter(facts: PodFacts, container: ContainerFacts, { line, match }: LastWord): RankedFinding {
  const known = knownInterpreter(facts, container, match[1] ?? '', line);
  if (known !== undefined) return known;
  return explainedEnd(facts, container, {
    id: 'missing-binary',
    rank: 91,
    says: `${title(container)} cannot run: its program ${match[1]}, or the interpreter that it asks for, is not there (a script with Windows line ends asks for one that nobody has)`,
    line,
    more: argumentsOf(container),
    try: facts.commands.edit,
  });
}

/** Of a script whose content is known the interpreter that is not there. */
function knownInterpreter(
  facts: PodFacts,
  container: ContainerFacts,
  file: string,
  line: string,
): RankedFinding | undefined {
  const asked = interpreterOf(facts, container, file);
  if (asked === undefined) return undefined;
  const { name, source, isWindows } = asked;
  const why = isWindows
    ? `it has Windows line ends (CR LF), so that it asks for the interpreter "${name}\\r", which nobody has; it is ${source}`
    : `it asks for the interpreter ${name}, which is not in image ${container.spec.image ?? ''}`;
  return explainedEnd(facts, container, {
    id: isWindows ? 'encoding' : 'missing-binary',
    rank: isWindows ? 94 : 91,
    says: `${title(container)} cannot run ${file}: ${why}`,
    line,
    more: [...placeOf(facts, container, file).quotes, ...argumentsOf(container)],
    try: facts.commands.edit,
  });
}

/** Some runtimes end with 127 for any error; what they say of it then is not about a command. */
function saysOtherwise({ reading }: ContainerFacts): boolean {
  const { decisive } = reading;
  return (
    LACKS_SYMBOL.test(decisive?.line ?? '') ||
    (decisive?.firmness === 'firm' && /\b(?:error|exception)\b/i.test(decisive.line) && !ABOUT_FILE.test(decisive.line))
  );
}

/** The loader found the library, and the program wants what only another version of it has. */
const LACKS_SYMBOL = /\bsymbol lookup error: .*\bundefined symbol\b/;

const ABOUT_FILE = /not found|no such|librar|loading shared|relocating|cannot execute|command/i;

function missingCommand(facts: PodFacts, container: ContainerFacts): readonly RankedFinding[] {
  const library = lastWord(container, LIBRARY);
  // A script that goes on says something else last.
  const word = library ?? lastWord(container, SHELL_NOT_FOUND) ?? lastLine(container, SHELL_NOT_FOUND);
  const name = word?.match[1] ?? word?.match[2] ?? word?.match[3];
  const line = word?.line ?? container.lines.at(-1) ?? '';
  // The kernel says of a file without its interpreter, too, that it is not there; newer shells tell the two apart.
  const isThere = word !== undefined && /cannot execute: required file not found/.test(word.line);
  const isFile = name?.includes('/') === true;
  const known = isFile && library === undefined ? knownInterpreter(facts, container, name ?? '', line) : undefined;
  if (known !== undefined) return [known];
  const what = isThere
    ? `${name} is there, but not the interpreter or loader that it asks for (Windows line ends in its first line, or another C library than it was built for)`
    : name === undefined
      ? 'a command that it calls is not in its image'
      : library === undefined
        ? isFile
          ? `${name}, or the interpreter or loader that it asks for, is not in its image`
          : `there is no command ${name} in its image`
        : `library ${name}, which ${programIn(line)} needs, ${libraryText(facts, container, name) ?? 'is not in its image'}`;
  return [
    explainedEnd(facts, container, {
      id: 'missing-binary',
      rank: 90,
      says: `${title(container)} ends with exit code 127: ${what}`,
      line,
      more: argumentsOf(container),
      try: facts.commands.edit,
    }),
  ];
}

/** The program of which the loader speaks: "/opt/shop/bin/shopd: error while loading shared libraries: …". */
function programIn(line: string): string {
  return /^(\/[^\s:]{1,200}): error while loading/.exec(line)?.[1] ?? 'its program';
}

function notExecutable(facts: PodFacts, container: ContainerFacts): readonly RankedFinding[] {
  const word = lastWord(container, /permission denied|cannot execute|can't execute|is a directory/i);
  const file = fileIn(word?.line ?? '');
  const place = file === undefined ? undefined : placeOf(facts, container, file);
  const what =
    file === undefined
      ? 'a file that it calls'
      : place?.where.startsWith('in volume') === true
        ? `${file} ${place.where}`
        : file;
  return [
    explainedEnd(facts, container, {
      id: 'not-executable',
      rank: 90,
      says: `${title(container)} ends with exit code 126: ${what} may not be executed${file === undefined ? '' : modeText(facts, container, file)}`,
      line: word?.line ?? container.lines.at(-1) ?? '',
      more: [...argumentsOf(container), ...(place?.quotes ?? [])],
      manifest: place?.executable,
      try: facts.commands.edit,
    }),
  ];
}

/** What is in a volume of memory counts against the limit, and stays there when the container ends. */
function inMemoryText({ pod }: PodFacts, { spec }: ContainerFacts): string {
  const mounted = new Set((spec.volumeMounts ?? []).map(({ name }) => name));
  const volume = (pod.spec?.volumes ?? []).find(
    ({ name, emptyDir }) => mounted.has(name) && emptyDir?.medium === 'Memory',
  );
  return volume === undefined
    ? ''
    : `; what its emptyDir ${volume.name} (medium: Memory) holds counts against it, and is there until its pod goes`;
}

function tooLittleMemory(
  facts: PodFacts,
  container: ContainerFacts,
  base: Pick<RankedFinding, 'severity' | 'topic' | 'container' | 'evidence' | 'try'>,
): RankedFinding {
  const limit = memoryLimit(container);
  const of = limit === undefined ? '' : ` of ${limit.text}`;
  return {
    ...base,
    id: 'memory-limit-too-low',
    rank: 92,
    says: `${title(container)} cannot start: its memory limit${of} is too low even to begin${inMemoryText(facts, container)}`,
    evidence: [...base.evidence, ...limitQuote(limit)],
  };
}

/** E2BIG, usually because of the environment, whose size the node agent has measured. */
function tooMuchToPass(
  container: ContainerFacts,
  base: Pick<RankedFinding, 'severity' | 'topic' | 'container' | 'evidence' | 'try'>,
): RankedFinding {
  const events = eventsWith(container.events, 'EnvironmentTooLarge', 'ServiceEnvironmentTruncated').slice(0, 2);
  const known = new Set(base.evidence.map((quote) => JSON.stringify(quote)));
  const quotes = events.map((event) => quoteEvent(event)).filter((quote) => !known.has(JSON.stringify(quote)));
  const hint = 'shorten them, mount the ConfigMap as a volume, or set enableServiceLinks: false';
  return {
    ...base,
    id: 'environment-too-large',
    rank: 93,
    says: `${title(container)} cannot start: its environment and arguments together are more than the kernel passes to a program (${hint})`,
    evidence: [...base.evidence, ...quotes],
  };
}

function mountMismatch(
  container: ContainerFacts,
  base: Pick<RankedFinding, 'severity' | 'topic' | 'container' | 'evidence' | 'try'>,
  text: string,
): RankedFinding {
  const target = /to rootfs at "([^"]+)"/.exec(text)?.[1];
  const mounts = (container.spec.volumeMounts ?? []).flatMap((mount, index): readonly Quote[] =>
    mount.mountPath === target
      ? [{ source: 'field', path: `${container.path}.volumeMounts[${index}]`, value: JSON.stringify(mount) }]
      : [],
  );
  return {
    ...base,
    id: 'mount-mismatch',
    rank: 90,
    says: `${title(container)} cannot start: a folder lies over a file${target === undefined ? '' : ` at ${target}`}, or a file over a folder (one file of a volume needs a subPath)`,
    evidence: [...base.evidence, ...mounts],
  };
}

/** "ConfigMap scripts, key start.sh", of a program that is a text of a ConfigMap and names no interpreter. */
function scriptWithoutHead(facts: PodFacts, container: ContainerFacts, program: string): string | undefined {
  const path = program.startsWith('/') ? program : (container.spec.command?.[0] ?? '');
  const mounted = path.startsWith('/') ? volumeOf(facts, container, path) : undefined;
  const file = mounted === undefined ? undefined : fileAt(facts, mounted, path);
  const text = file === undefined ? undefined : textOf(facts, file);
  const { config, key = '' } = file?.origin ?? {};
  return text === undefined || config === undefined || text.startsWith('#!')
    ? undefined
    : `${config.kind} ${config.name}, key ${key}`;
}

function wrongArchitecture(
  facts: PodFacts,
  container: ContainerFacts,
  base: Pick<RankedFinding, 'severity' | 'topic' | 'container' | 'evidence'>,
  program = 'its program',
): RankedFinding {
  const { node, name } = facts.evidence.node ?? {};
  const architecture = node?.status?.nodeInfo?.architecture;
  const here = architecture === undefined ? 'its node' : `its node, which is ${architecture}`;
  const quote: readonly Quote[] =
    architecture === undefined
      ? []
      : [{ source: 'field', of: `node/${name}`, path: 'status.nodeInfo.architecture', value: architecture }];
  const script = scriptWithoutHead(facts, container, program);
  if (script !== undefined)
    return {
      ...base,
      id: 'missing-binary',
      rank: 93,
      says: `${title(container)} cannot run ${program}: it is a script without "#!" and its interpreter in the first line (${script})`,
      evidence: base.evidence,
      try: facts.commands.edit,
    };
  return {
    ...base,
    id: 'wrong-architecture',
    rank: 93,
    says: `${title(container)} cannot run: ${program} is made for another machine than ${here} (or is a script without "#!")`,
    evidence: [
      ...base.evidence,
      { source: 'field', path: `${container.path}.image`, value: container.spec.image ?? '' },
      ...quote,
    ],
    try: [...facts.commands.edit, facts.commands.cluster('get', 'nodes', '-L', 'kubernetes.io/arch')],
  };
}
