/** Finds the files that a container's specification or configuration names in a volume of a ConfigMap or Secret that does not have them. Pure. */
import { type ConfigFile, configFiles } from '../configs/config-files.ts';
import { textOf } from '../configs/config-lines.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { filesOf, pathWithin } from './mounted-files.ts';
import { configsBehind, volumeOf } from './mounts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { commandText, placeText } from '../peers/spec-peers.ts';
import { listed } from '../words/text.ts';

export interface AbsentFile {
  readonly file: string;
  /** What names it: "its variable CONFIG_PATH", "its command", "line 3 of its configuration /c/m.cnf". */
  readonly namedBy: string;
  /** "Secret tls" */
  readonly of: string;
  /** What the volume has instead: "only tls.crt and tls.key". */
  readonly has: string;
}

const PATH = /(?:^|[\s"'`=:,(@])(\/[\w@%+.,~-]{1,255}(?:\/[\w@%+.,~-]{1,255}){1,20})(?![\w@%+.,~-]|[*?/{$[])/g;
const COMMENT = /^\s*(?:#|;|\/\/|--|!|\/?\*)/;
/** A script may ask whether a file is there: "[ -f /etc/app/extra ]". */
const IS_ASKED_FOR = /(?:\[\[? (?:! )?|\btest (?:! )?)-[a-z] ["']?\/[^\s"'\]]{1,300}/g;
/** Where the node puts what every pod has. */
const OF_ACCOUNT = '/var/run/secrets/kubernetes.io/';
/** Lines of a configuration, and paths of all, that are looked at. */
const MAX_LINES = 2000;
const MAX_PATHS = 200;
const MAX_FILES = 5;

interface Named {
  readonly path: string;
  readonly namedBy: string;
}

/** Each file once; those of a volume whose keys are not known are not among them. */
export function absentFiles(facts: PodFacts, container: ContainerFacts): readonly AbsentFile[] {
  const named = [...bySpec(container), ...configFiles(facts, container).flatMap((found) => byConfig(facts, found))];
  const found = named
    .slice(0, MAX_PATHS)
    .flatMap(({ path, namedBy }): readonly AbsentFile[] => absentAt(facts, container, path, namedBy));
  const first = new Map(found.toReversed().map((each) => [each.file, each]));
  return [...first.values()].toReversed();
}

/** The only one, which an error without a file's name may mean. */
export function onlyAbsentFile(facts: PodFacts, container: ContainerFacts): AbsentFile | undefined {
  const [only, ...more] = absentFiles(facts, container);
  return more.length === 0 ? only : undefined;
}

function bySpec({ spec, environment }: ContainerFacts): readonly Named[] {
  const command = commandText(spec, environment).replace(IS_ASKED_FOR, ' ');
  return [
    ...environment.flatMap((each) =>
      pathsIn(each.value.slice(0, 1000)).map((path) => ({ path, namedBy: `its ${placeText(each)}` })),
    ),
    ...pathsIn(command).map((path) => ({ path, namedBy: 'its command' })),
  ];
}

function byConfig(facts: PodFacts, found: ConfigFile): readonly Named[] {
  const lines = (textOf(facts, found) ?? '').split('\n').slice(0, MAX_LINES);
  return lines.flatMap((line, index) =>
    COMMENT.test(line)
      ? []
      : pathsIn(line.slice(0, 1000)).map((path) => ({
          path,
          namedBy: `line ${index + 1} of its configuration ${found.file}`,
        })),
  );
}

function pathsIn(text: string): readonly string[] {
  return [...text.matchAll(PATH)].map(([, path = '']) => path.replace(/[.,]+$/, ''));
}

function absentAt(facts: PodFacts, container: ContainerFacts, file: string, namedBy: string): readonly AbsentFile[] {
  const mounted = file.startsWith(OF_ACCOUNT) ? undefined : volumeOf(facts, container, file);
  const configs = mounted === undefined ? [] : configsBehind(mounted);
  const files = mounted === undefined || configs.length === 0 ? undefined : filesOf(facts, mounted);
  if (mounted === undefined || files === undefined) return [];
  const path = pathWithin(mounted, file);
  const isThere = files.some((each) => each.path === path || each.path.startsWith(`${path}/`));
  if (path === '' || isThere) return [];
  const paths = [...new Set(files.map((each) => each.path))];
  const has =
    paths.length === 0 ? 'no keys' : paths.length <= MAX_FILES ? `only ${listed(paths)}` : `${paths.length} others`;
  return [{ file, namedBy, of: listed(configs.map(({ kind, name }) => `${kind} ${name}`)), has }];
}
