/** Rule: a container lacks a permission: for a file, a read-only file system, its user, or a port below 1024. */
import { anyOf } from '../../../log-analysis/index.ts';
import { claimBeside, mayKeepData } from '../../facts/files/claims-beside.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { endedByItself, type LastWord, lastWord, rankOfWord } from '../../facts/words/last-words.ts';
import { configsBehind, mountedVolumes, ofVolumeText, volumeOf } from '../../facts/files/mounts.ts';
import { needsRoot, ofImageText, ownerOnly } from '../../facts/pod/owner-only.ts';
import { fileNear, listenPort } from '../../../log-analysis/index.ts';
import { REFUSED_BY_SSH } from '../../facts/words/system-errors.ts';
import { quotable } from '../../facts/words/text.ts';
import { modeOf, userOf } from '../../facts/files/volume-modes.ts';
import { madeByInit } from '../../facts/files/made-by-init.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import type { Quote } from '../../finding.ts';
import { type ContainerRule, eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { commandForLog, explainedEnd, title } from './exit-code.ts';
import { isTooOpen } from './file-modes.ts';

const DENIED = anyOf(
  /permission denied/i,
  /operation not permitted/i,
  /EACCES/i,
  /EPERM\b/i,
  /AccessDeniedException/i,
  /has wrong ownership/i,
  /must be owned by/i,
  /accessible by owner only/i,
  /read-only director(?:y|ies)/i,
  /has (?:group|group or world|world) access/i,
  /access denied: \//i,
  /access is denied/i,
  /access to (?:the )?(?:path |file )?\S{1,300} is denied/i,
  /not writable/i,
  /must be writable/i,
  /must not be (?:run|accessible)/i,
  /can not be run as root/i,
  /not permitted as root/i,
  /as root\b.{0,60}(?:not|security)/i,
  /please read "security"/i,
);
const READ_ONLY = /read-?only (?:file ?system|database)|EROFS|No usable temporary directory found/i;

/** A right that a database refuses to a role. */
const OF_DATABASE =
  /permission denied (?:for|to) (?:table|schema|database|relation|sequence|function|view|role|create \w+|set \w+)\b/i;

const ofContainer: ContainerRule = (facts, container) => {
  const waiting = container.status?.state?.waiting;
  if (waiting?.reason === 'CreateContainerConfigError' && /runAsNonRoot|non-root policy/i.test(waiting.message ?? '')) {
    return [nonRoot(facts, container, waiting.message ?? '')];
  }
  // Other rules explain these exit codes better.
  if (!endedByItself(container) || [126, 127, 128].includes(container.death?.exitCode ?? 0)) return NOTHING;
  const readOnly = lastWord(container, READ_ONLY) ?? folderNotMade(facts, container);
  if (readOnly !== undefined) {
    const file = fileNear(readOnly.line, readOnly.match.index);
    return [
      explainedEnd(facts, container, {
        id: 'read-only-file-system',
        rank: rankOfWord(85, readOnly),
        says: `${title(container)} cannot write${file === undefined ? '' : ` ${file}`}: ${file === undefined ? `${quotable(readOnly.line)}${onlyReadOnlyMount(container)}` : `the file system is read-only${container.spec.securityContext?.readOnlyRootFilesystem === true && volumeOf(facts, container, file) === undefined ? ' (readOnlyRootFilesystem)' : ''}${ofConfigText(facts, container, file)}${besideText(facts, container, file)}`}`,
        line: readOnly.line,
        more: [...readOnlyFields(container, file), ...readOnlyKind(facts, container, file)],
        try: facts.commands.edit,
        manifest: mountFor(facts, container, file),
      }),
    ];
  }
  const denied = lastWord(container, DENIED) ?? rootWord(facts, container);
  // Of what a database refuses, the rule about credentials tells.
  if (denied === undefined || OF_DATABASE.test(denied.line) || REFUSED_BY_SSH.test(denied.line)) return NOTHING;
  const file = fileNear(denied.line, denied.match.index);
  const port = /bind|listen/i.test(denied.line) ? privilegedPort(denied.line) : undefined;
  const owner = OWNER.exec(denied.line);
  // The rule about modes says what would do.
  if (owner !== null && isTooOpen(facts, container)) return NOTHING;
  const relative = file === undefined && port === undefined ? relativeFile(denied.line) : undefined;
  const what =
    port !== undefined
      ? `listen on port ${port}`
      : file !== undefined
        ? `use ${file}`
        : relative !== undefined
          ? `use ${relative} in its working directory${inFolder(facts, container)}`
          : `do what it wants${perhapsIn(facts, container, denied.line)}`;
  const needs = needsRoot(facts, container, denied.line);
  const owns = ownerOnly(facts, container, { line: denied.line, file });
  const lacks =
    needs !== undefined || owns !== undefined
      ? { says: needs ?? owns ?? '' }
      : lackedCapability(container, denied.line);
  const why = file === undefined && port === undefined ? quotable(denied.line) : 'permission denied';
  const says =
    lacks !== undefined
      ? `${title(container)} ${lacks.says}${owns === undefined ? `: ${quotable(denied.line).replace(/\.+$/, '')}` : ''}`
      : owner !== null && file !== undefined
        ? `${title(container)} refuses ${file}, which ${owner[0]}${runsAs(facts, container)}`
        : `${title(container)} may not ${what}${port !== undefined ? asUser(facts, container) : file === undefined ? '' : keptFrom(facts, container, file)}${port === undefined ? bareRoot(facts, container) : ''}: ${why}${file === undefined ? '' : ofImageText(facts, container, { line: denied.line, file })}${file === undefined || lacks !== undefined ? '' : madeByInit(facts, container, file)}`;
  return [
    explainedEnd(facts, container, {
      id: 'permission-denied',
      rank: rankOfWord(84, denied),
      says,
      line: denied.line,
      more: userFields(facts, container),
      try: [commandForLog(facts, container), ...facts.commands.edit],
    }),
  ];
};

export const permissions: PodRule = eachContainer(ofContainer);

/** What Node says of a folder that it is to make with those above it, and whose file system is read-only. */
const NOT_MADE = /ENOENT: no such file or directory, mkdir '/;

function folderNotMade(facts: PodFacts, container: ContainerFacts): LastWord | undefined {
  if (container.spec.securityContext?.readOnlyRootFilesystem !== true) return undefined;
  const word = lastWord(container, NOT_MADE);
  const folder = word === undefined ? undefined : fileNear(word.line, word.match.index);
  return folder === undefined || volumeOf(facts, container, folder) !== undefined ? undefined : word;
}

/** What decides, and says that root is needed. */
function rootWord(facts: PodFacts, container: ContainerFacts): LastWord | undefined {
  const { decisive } = container.reading;
  if (decisive === undefined || needsRoot(facts, container, decisive.line) === undefined) return undefined;
  return { line: decisive.line, match: /^/.exec(decisive.line) as RegExpExecArray, fromEnd: 0 };
}

/** A file without its folder that a system call was refused: "mkdir 'logs'", "open data/a.db: permission denied". */
const RELATIVE =
  /\b(?:mkdir|mkdtemp|open|openat|unlink|rmdir|scandir|rename|copyfile|creat|denied:) (?:'([\w.@][\w.@/-]{0,200})'|([\w.@][\w.@/-]{0,200})(?=: permission denied))/i;

function relativeFile(line: string): string | undefined {
  const [, quoted, bare] = RELATIVE.exec(line) ?? [];
  return quoted ?? bare;
}

/** " /srv as user 1000", as far as the specification tells it. */
function inFolder({ pod }: PodFacts, { spec }: ContainerFacts): string {
  const user = spec.securityContext?.runAsUser ?? pod.spec?.securityContext?.runAsUser;
  return `${spec.workingDir === undefined ? '' : ` ${spec.workingDir}`}${user === undefined ? '' : ` as user ${user}`}`;
}

/** What programs say of files and folders. */
const OF_FILES = /\b(?:open|creat|writ|renam|sav|unlink|mkdir|file|dir|folder|database|log)/i;

/** ", perhaps in /data as user 1999 in volume data, and its pod has no fsGroup", of its only volume that is no configuration. */
function perhapsIn(facts: PodFacts, container: ContainerFacts, line: string): string {
  const user = userOf(facts, container);
  if (
    user === undefined ||
    user === 0 ||
    facts.pod.spec?.securityContext?.fsGroup !== undefined ||
    !OF_FILES.test(line)
  )
    return '';
  const [only, ...more] = mountedVolumes(facts, container).filter(
    (mounted) => configsBehind(mounted).length === 0 && !mounted.mountPath.startsWith('/var/run/secrets/'),
  );
  if (only === undefined || more.length > 0) return '';
  return `, perhaps in ${only.mountPath}${keptFrom(facts, container, only.mountPath)}`;
}

/** What a program says of a file whose owner or mode it does not accept. */
const OWNER =
  /has wrong ownership|must be owned by [^".]{1,60}|must be accessible by owner only|has (?:group|group or world|world) access/i;

/** ", as it runs as user 70": the user of its specification. */
function runsAs({ pod }: PodFacts, { spec }: ContainerFacts): string {
  const user = spec.securityContext?.runAsUser ?? pod.spec?.securityContext?.runAsUser;
  return user === undefined ? '' : ` (it runs as user ${user})`;
}

/** " as user 1000", of a port, which no volume has to do with. */
function asUser(facts: PodFacts, container: ContainerFacts): string {
  const user = userOf(facts, container);
  return user === undefined || user === 0 ? '' : ` as user ${user}`;
}

/** " as user 1000: volume tls (Secret tls-api) has mode 0400 and its pod no fsGroup", where a volume's mode keeps its user out. */
export function keptFrom(facts: PodFacts, container: ContainerFacts, file: string): string {
  const { securityContext: shared } = facts.pod.spec ?? {};
  const user = userOf(facts, container);
  const mounted = volumeOf(facts, container, file);
  if (user === 0) return '';
  if (mounted === undefined) return user === undefined ? '' : ` as user ${user}`;
  const { volume } = mounted;
  // The image names the user.
  if (user === undefined)
    return volume.persistentVolumeClaim === undefined ? '' : ` in volume ${volume.name}${ofVolumeText(mounted)}`;
  const configs = configsBehind(mounted);
  const of = ofVolumeText(mounted);
  const mode = modeOf(mounted, file);
  const isClosed = configs.length > 0 && mode !== undefined && (mode & 0o004) === 0;
  const group = shared?.fsGroup === undefined ? ' and its pod has no fsGroup' : '';
  return isClosed
    ? ` as user ${user}, as volume ${volume.name}${of} has the mode 0${mode.toString(8)}${group}`
    : ` as user ${user} in volume ${volume.name}${of}${configs.length > 0 ? '' : group.replace(' and', ', and')}`;
}

/** Calls of the system that need a capability, as programs name them when they are refused. */
const CAPABILITIES: readonly { readonly name: string; readonly pattern: RegExp; readonly what: string }[] = [
  {
    name: 'CHOWN',
    pattern: /\bchown\b|changing (?:the )?(?:ownership|owner|group) of/i,
    what: 'change the owner of files',
  },
  { name: 'SETGID', pattern: /\b(?:setgid|setgroups|initgroups|setresgid|setregid)\b/i, what: 'change its group' },
  {
    name: 'SETUID',
    pattern: /\b(?:setuid|setresuid|setreuid|seteuid|su|gosu|su-exec|setpriv)\b/i,
    what: 'change its user',
  },
  {
    name: 'FOWNER',
    pattern: /\bchmod\b|changing permissions of/i,
    what: 'change the mode of files that are not its own',
  },
  { name: 'SYS_CHROOT', pattern: /\bchroot\b/i, what: 'change its root folder' },
  {
    name: 'NET_ADMIN',
    pattern: /\b(?:iptables|ip6tables|nft|RTNETLINK|tun\/tap|\/dev\/net\/tun|sysctl)\b/i,
    what: 'change its network',
  },
  {
    name: 'NET_RAW',
    pattern:
      /\b(?:raw socket|SOCK_RAW|ping\w*|traceroute|arping|tcpdump|pcap|ICMP)\b|\bsocket: Operation not permitted/i,
    what: 'open raw sockets',
  },
  { name: 'SYS_PTRACE', pattern: /\bptrace\b/i, what: 'trace other processes' },
  { name: 'SYS_ADMIN', pattern: /\b(?:mount|umount|unshare|setns)\b/i, what: 'mount' },
  { name: 'SYS_TIME', pattern: /\b(?:settimeofday|adjtimex|clock_settime)\b/i, what: 'set the clock' },
  { name: 'SYS_NICE', pattern: /\b(?:setpriority|sched_setscheduler|nice)\b/i, what: 'change its priority' },
];
/** What containers have by default (containerd, OCI). */
const BY_DEFAULT: ReadonlySet<string> = new Set(['CHOWN', 'SETGID', 'SETUID', 'FOWNER', 'SYS_CHROOT', 'NET_RAW']);
const NOT_PERMITTED = /operation not permitted|\bEPERM\b/i;

/** " as root without the capability DAC_OVERRIDE, …": of a container that runs as root, as far as its specification says, and has dropped it. */
function bareRoot({ pod }: PodFacts, { spec }: ContainerFacts): string {
  const { capabilities, runAsUser, privileged } = spec.securityContext ?? {};
  const user = runAsUser ?? pod.spec?.securityContext?.runAsUser;
  const { add = [], drop = [] } = capabilities ?? {};
  const has = (names: readonly string[]): boolean =>
    names.some((name) => /^(?:CAP_)?(?:ALL|DAC_OVERRIDE)$/i.test(name));
  if ((user !== undefined && user !== 0) || privileged === true || has(add) || !has(drop)) return '';
  return ' as root without the capability DAC_OVERRIDE, which it has dropped: so it may use only what root owns or all may use';
}

/** "may not change the owner of files, because its capability CHOWN is dropped". */
export function lackedCapability({ spec }: ContainerFacts, line: string): { readonly says: string } | undefined {
  if (!NOT_PERMITTED.test(line)) return undefined;
  const wanted = CAPABILITIES.find(({ pattern }) => pattern.test(line));
  if (wanted === undefined) return undefined;
  const { add = [], drop = [] } = spec.securityContext?.capabilities ?? {};
  const bare = (name: string): string => name.toUpperCase().replace(/^CAP_/, '');
  if (spec.securityContext?.privileged === true || add.some((name) => ['ALL', wanted.name].includes(bare(name))))
    return undefined;
  const isDropped = drop.some((name) => ['ALL', wanted.name].includes(bare(name)));
  if (isDropped) return { says: `may not ${wanted.what}, because its capability ${wanted.name} is dropped` };
  return BY_DEFAULT.has(wanted.name)
    ? undefined
    : { says: `may not ${wanted.what}, for which it needs the capability ${wanted.name}` };
}

/** A port below 1024 that only a privileged process may listen on. */
function privilegedPort(line: string): number | undefined {
  const port = listenPort(line);
  return port !== undefined && port < 1024 ? port : undefined;
}

function nonRoot(facts: PodFacts, container: ContainerFacts, message: string) {
  const own = container.spec.securityContext;
  const isOfSpec = /non-root policy/i.test(message);
  const by = own?.runAsNonRoot === undefined && isOfSpec ? 'runAsNonRoot of its pod' : 'runAsNonRoot';
  const but = !isOfSpec
    ? `its image ${ofImage(message)}`
    : own?.runAsUser === 0
      ? 'its runAsUser is 0'
      : 'the runAsUser of its pod is 0';
  const list = container.kind === 'container' ? 'containers' : 'initContainers';
  return {
    id: 'run-as-non-root',
    severity: 'critical' as const,
    rank: 90,
    topic: `end/${container.name}`,
    container: container.name,
    says: `${title(container)} must not run as root (${by}), but ${but}`,
    evidence: [
      {
        source: 'field' as const,
        path: `${container.path}: state.waiting`,
        value: `CreateContainerConfigError: ${message}`,
      },
      ...userFields(facts, container),
    ],
    try: facts.commands.edit,
    // Whoever wrote user 0 for one container means it.
    manifest:
      isOfSpec && own?.runAsUser === 0
        ? `${list}:\n- name: ${container.name}\n  securityContext:\n    runAsUser: 0\n    runAsNonRoot: false\n`
        : 'securityContext:\n  runAsNonRoot: true\n  runAsUser: 1000\n',
  };
}

/** A user that the image names and does not number may be root, too. */
function ofImage(message: string): string {
  const user = /non-numeric user \(([^)]{1,100})\)/.exec(message)?.[1];
  return user === undefined
    ? 'does and no user is named'
    : `names its user ${user} without a number, so that nobody can tell (set runAsUser)`;
}

export function userFields({ pod }: PodFacts, { path, spec }: ContainerFacts): readonly Quote[] {
  const found: Quote[] = [];
  const add = (at: string, value: unknown): void => {
    if (value !== undefined && value !== null) found.push({ source: 'field', path: at, value: JSON.stringify(value) });
  };
  const { securityContext: own } = spec;
  const { securityContext: shared } = pod.spec ?? {};
  add(`${path}.securityContext.runAsNonRoot`, own?.runAsNonRoot);
  add(`${path}.securityContext.runAsUser`, own?.runAsUser);
  add(`${path}.securityContext.capabilities`, own?.capabilities);
  if (own?.runAsUser === undefined) add('spec.securityContext.runAsUser', shared?.runAsUser);
  if (own?.runAsNonRoot === undefined) add('spec.securityContext.runAsNonRoot', shared?.runAsNonRoot);
  add('spec.securityContext.fsGroup', shared?.fsGroup);
  return found;
}

/** The token of the service account is mounted so always. */
function isClosedByHand({ readOnly, mountPath }: { readonly readOnly?: boolean; readonly mountPath: string }): boolean {
  return readOnly === true && !mountPath.startsWith('/var/run/secrets/kubernetes.io/');
}

/** " (its mount /data is readOnly)", for a line that names no file. */
function onlyReadOnlyMount({ spec }: ContainerFacts): string {
  const [mount, ...others] = (spec.volumeMounts ?? []).filter(isClosedByHand);
  return mount === undefined || others.length > 0 ? '' : ` (its mount ${mount.mountPath} is readOnly)`;
}

function readOnlyFields({ path, spec }: ContainerFacts, file: string | undefined): readonly Quote[] {
  const root: readonly Quote[] =
    spec.securityContext?.readOnlyRootFilesystem === true
      ? [{ source: 'field', path: `${path}.securityContext.readOnlyRootFilesystem`, value: 'true' }]
      : [];
  const mounts = (spec.volumeMounts ?? []).flatMap(({ readOnly, mountPath }, index): readonly Quote[] =>
    isClosedByHand({ readOnly, mountPath }) && (file === undefined || file.startsWith(mountPath))
      ? [{ source: 'field', path: `${path}.volumeMounts[${index}].readOnly`, value: `true (${mountPath})` }]
      : [],
  );
  return [...root, ...mounts].slice(0, 3);
}

/** Quotes a volume of a ConfigMap or Secret, which is read-only whatever its mount says. */
function readOnlyKind(facts: PodFacts, container: ContainerFacts, file: string | undefined): readonly Quote[] {
  const mounted = file === undefined ? undefined : volumeOf(facts, container, file);
  const [config] = mounted === undefined ? [] : configsBehind(mounted);
  if (mounted === undefined || config === undefined) return [];
  const says = `of ${config.kind} ${config.name}: such volumes are always read-only`;
  return [{ source: 'object', object: `volume ${mounted.volume.name}`, says }];
}

/** "; its claim data-0 is mounted at /var/lib/series2", beside the folder that it writes. */
/** " (it is of ConfigMap app, of which nobody can write files; a copy in another volume can be written)" */
function ofConfigText(facts: PodFacts, container: ContainerFacts, file: string): string {
  const mounted = volumeOf(facts, container, file);
  const [config] = mounted === undefined ? [] : configsBehind(mounted);
  const mount = (container.spec.volumeMounts ?? []).find(
    ({ name, mountPath }) => name === mounted?.volume.name && mountPath === mounted.mountPath,
  );
  if (config === undefined && mounted !== undefined && mount !== undefined && isClosedByHand(mount))
    return ` (volume ${mounted.volume.name} is mounted readOnly at ${mounted.mountPath})`;
  return config === undefined
    ? ''
    : ` (it is of ${config.kind} ${config.name}, of which nobody can write files; a copy in another volume can be written)`;
}

function besideText(facts: PodFacts, container: ContainerFacts, file: string): string {
  const beside = claimBeside(facts, container, folderOf(file));
  return beside === undefined ? '' : `; its claim ${beside.claim} is mounted at ${beside.at}`;
}

function folderOf(file: string): string {
  return file.slice(0, file.lastIndexOf('/'));
}

/** Suggests a volume at the folder if the root file system is read-only on purpose: the claim that is mounted beside, else an emptyDir. */
function mountFor(facts: PodFacts, container: ContainerFacts, file: string | undefined): string | undefined {
  const { spec } = container;
  const folder = folderOf(file ?? '');
  if (spec.securityContext?.readOnlyRootFilesystem !== true || folder === '') return undefined;
  const beside = claimBeside(facts, container, folder);
  const mount = (name: string, path: string): string =>
    `containers:\n- name: ${spec.name}\n  volumeMounts:\n  - name: ${name}\n    mountPath: ${path}\n`;
  if (beside !== undefined) return mount(beside.volume, beside.meant);
  return mayKeepData(facts, container, folder)
    ? undefined
    : `${mount('scratch', folder)}volumes:\n- name: scratch\n  emptyDir: {}\n`;
}
