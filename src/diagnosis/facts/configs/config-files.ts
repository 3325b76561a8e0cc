/** Finds the configuration files that a container has of ConfigMaps and Secrets: those that its specification names, or its only one. Pure. */
import type { ContainerFacts } from '../pod/container-facts.ts';
import { filesOf, type Origin, originOf, pathWithin } from '../files/mounted-files.ts';
import { configsBehind, type MountedVolume, mountedVolumes, volumeOf } from '../files/mounts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { commandText } from '../peers/spec-peers.ts';

export interface ConfigFile {
  readonly file: string;
  readonly mounted: MountedVolume;
  /** Undefined: nothing is known of the volume's files, or it has no such file. */
  readonly origin?: Origin;
}

/** Programs, scripts and what they are made of. */
const CODE =
  /\.(?:[cm]?[jt]sx?|py|rb|ru|pl|pm|psgi|php|sh|bash|go|rs|java|jar|class|kts?|groovy|scala|cljs?|cs|fsx?|vb|mli?|hs|jl|r|lisp|scm|[ch]|cpp|lua|exs?|erl|rkt|awk|sql|html?|css|xsd|wsgi|tcl|cgi|expect)$/i;
/** What names the parts that a program is built of, and what every system has. */
const BUILD =
  /(?:^|\/)(?:package(?:-lock)?\.json|composer\.(?:json|lock)|Gemfile(?:\.lock)?|requirements[\w-]{0,20}\.txt|go\.(?:mod|sum)|Cargo\.(?:toml|lock)|pom\.xml|build\.gradle|pyproject\.toml|Pipfile|Makefile|Dockerfile)$|^\/etc\/(?:passwd|group|hosts|hostname|resolv\.conf)$/;
/** Certificates and keys. */
const KEYS = /\.(?:crt|pem|key|p12|jks|pub)$|\.d$|\.erlang\.cookie$/i;
/** Where the node puts what every pod has. */
const OF_ACCOUNT = '/var/run/secrets/kubernetes.io/';
const PATH = /(?:^|[\s"'`=:,(])(\/[\w@%+.,~-]{1,255}(?:\/[\w@%+.,~-]{1,255}){0,20})/g;
const MAX_PATHS = 200;

/** The mounts of a container whose files are of ConfigMaps and Secrets, without that of its account's token. */
export function configMounts(facts: PodFacts, container: ContainerFacts): readonly MountedVolume[] {
  return mountedVolumes(facts, container).filter(
    (mounted) => configsBehind(mounted).length > 0 && !mounted.mountPath.startsWith(OF_ACCOUNT),
  );
}

/**
 * The configuration that the container uses, when only one can be meant: the file that its specification names, else its only one, or the one
 * that is named after its program.
 */
export function configFile(facts: PodFacts, container: ContainerFacts): ConfigFile | undefined {
  const named = namedFiles(facts, container);
  if (named.length > 0) return only(named);
  const all = configMounts(facts, container).flatMap((mounted) => filesIn(facts, mounted));
  const program = programOf(container);
  return (
    only(all) ??
    only(all.filter(({ file }) => program !== '' && (file.split('/').at(-1) ?? '').toLowerCase().startsWith(program)))
  );
}

/** The configuration with a setting that a server does not know, and that no argument has: "unknown variable 'max_conections=9'". */
export function unknownSetting(facts: PodFacts, container: ContainerFacts, line: string): ConfigFile | undefined {
  const name = /unknown variable ['"]?([\w.-]{2,100})/i.exec(line)?.[1]?.replaceAll('-', '_');
  const isArgument = name === undefined || commandText(container.spec).replaceAll('-', '_').includes(name);
  const found = isArgument ? undefined : configFile(facts, container);
  return found?.origin === undefined ? undefined : found;
}

function only<T>(all: readonly T[]): T | undefined {
  return all.length === 1 ? all[0] : undefined;
}

/** All configurations of the container, whatever names them. */
export function configFiles(facts: PodFacts, container: ContainerFacts): readonly ConfigFile[] {
  const all = configMounts(facts, container).flatMap((mounted) => filesIn(facts, mounted));
  return [...new Map(all.map((each) => [each.file, each])).values()];
}

/** What its command, its arguments and the values of its variables name. */
function namedFiles(facts: PodFacts, container: ContainerFacts): readonly ConfigFile[] {
  const { spec, environment } = container;
  const text = [commandText(spec, environment), ...environment.map(({ value }) => value.slice(0, 1000))].join('\n');
  const paths = [...text.matchAll(PATH)].slice(0, MAX_PATHS).flatMap(([, path = '']) => path.replace(/[.,]+$/, ''));
  const files = [...new Set(paths)].flatMap((path): readonly ConfigFile[] => {
    const mounted = volumeOf(facts, container, path);
    if (mounted === undefined || path.startsWith(OF_ACCOUNT) || configsBehind(mounted).length === 0) return [];
    const isFolder = pathWithin(mounted, path) === '';
    return isFolder ? filesIn(facts, mounted) : [fileAt(facts, mounted, path)];
  });
  const unique = new Map(files.map((each) => [each.file, each]));
  return [...unique.values()].filter(({ file }) => !isCode(file) && !KEYS.test(file));
}

/** The files of a mount that may be configurations. */
function filesIn(facts: PodFacts, mounted: MountedVolume): readonly ConfigFile[] {
  const { mountPath, subPath = '' } = mounted;
  const root = mountPath.replace(/\/+$/, '');
  const all = (filesOf(facts, mounted) ?? []).filter(({ config }) => config !== undefined).map(({ path }) => path);
  const paths = [...new Set(all)].flatMap((path): readonly string[] => {
    if (subPath === '') return [`${root}/${path}`];
    if (path === subPath) return [root];
    return path.startsWith(`${subPath}/`) ? [`${root}/${path.slice(subPath.length + 1)}`] : [];
  });
  return paths.filter((file) => !isCode(file) && !KEYS.test(file)).map((file) => fileAt(facts, mounted, file));
}

/** Whether the file is a program or a part of one. */
export function isCode(file: string): boolean {
  return CODE.test(file) || BUILD.test(file);
}

export function fileAt(facts: PodFacts, mounted: MountedVolume, file: string): ConfigFile {
  return { file, mounted, origin: originOf(facts, mounted, file) };
}

/** Shells, interpreters and those that only call others. */
const CALLERS = /^(?:sh|bash|ash|dash|env|exec|tini|dumb-init|python[\d.]*|node|java|ruby|perl|php|-.*|--)$/;

/** "redis" of redis-server, "nginx": the first word of its name, else of its image's. */
function programOf({ spec }: ContainerFacts): string {
  const words = [...(spec.command ?? []), ...(spec.args ?? [])].flatMap((text) => text.trim().split(/\s+/));
  const called = words.map((word) => word.split('/').at(-1) ?? '').find((word) => !CALLERS.test(word));
  const image = (spec.image ?? '').split('/').at(-1)?.split(/[:@]/)[0];
  return (called ?? image ?? '').toLowerCase().split(/[^a-z]/)[0] ?? '';
}
