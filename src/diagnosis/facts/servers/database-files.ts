/** Finds the database files that a container's variables, arguments and configurations name. Pure. */
import type { Quote } from '../../finding.ts';
import type { CodeText } from '../variables/code-variables.ts';
import { configFiles } from '../configs/config-files.ts';
import { textOf } from '../configs/config-lines.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';

export interface DatabaseFile {
  readonly file: string;
  /** "variable DATABASE_URL", "of its arguments", "line 2 of /etc/app/a.conf" */
  readonly at: string;
  readonly quote: Quote;
}

/** "sqlite:////var/lib/a.db", "sqlite+aiosqlite:////a.db", "file:/data/a", "jdbc:h2:file:/data/a;MODE=x" */
const FILE_URL =
  /\b(?:sqlite3?(?:\+\w{1,20})?:(?:\/\/\/?)?|jdbc:(?:sqlite|h2|hsqldb|derby):(?:file:)?|file:(?:\/\/)?)(\/[^\s"'?;,#]{1,300})/i;
/** "/data/a.db", the whole of a value */
const FILE_VALUE = /^(\/[\w./@-]{1,300}\.(?:db|db3|sqlite3?|mv\.db))$/i;
/** "database = /data/a.db" */
const FILE_SETTING = /[=:\s"'](\/[\w./@-]{1,300}\.(?:db|db3|sqlite3?|mv\.db))["']?\s{0,5}[;,]?\s{0,5}$/i;
const COMMENT = /^\s{0,200}(?:#|;|\/\/|--)/;
const MAX_LINES = 2000;

export function databaseFiles(facts: PodFacts, container: ContainerFacts): readonly DatabaseFile[] {
  const own = ofSpec(container);
  return own.length > 0 ? own : ofConfigs(facts, container);
}

/** The only one. */
export function databaseFile(facts: PodFacts, container: ContainerFacts): DatabaseFile | undefined {
  const [named, ...others] = databaseFiles(facts, container);
  return named === undefined || others.some(({ file }) => file !== named.file) ? undefined : named;
}

function ofSpec({ spec, path }: ContainerFacts): readonly DatabaseFile[] {
  const fileOf = (text: string): string | undefined => {
    const file = FILE_URL.exec(text)?.[1] ?? FILE_VALUE.exec(text)?.[1];
    return file?.replace(/^\/{2,}/, '/');
  };
  const variables = (spec.env ?? []).flatMap(({ name, value = '' }, index): readonly DatabaseFile[] => {
    const file = fileOf(value.slice(0, 1000));
    const quote: Quote = { source: 'field', path: `${path}.env[${index}] (${name})`, value: `names ${file ?? ''}` };
    return file === undefined ? [] : [{ file, at: `variable ${name}`, quote }];
  });
  const words = [...(spec.command ?? []), ...(spec.args ?? [])].flatMap((word): readonly DatabaseFile[] => {
    const file = word.length > 1000 ? undefined : fileOf(word.replace(/^--?[\w-]{1,60}=/, ''));
    const quote: Quote = { source: 'field', path: `${path}.args`, value: `names ${file ?? ''}` };
    return file === undefined ? [] : [{ file, at: 'of its arguments', quote }];
  });
  return [...variables, ...words];
}

function ofConfigs(facts: PodFacts, container: ContainerFacts): readonly DatabaseFile[] {
  return configFiles(facts, container).flatMap((config) => {
    const lines = (textOf(facts, config) ?? '').split('\n').slice(0, MAX_LINES);
    return lines.flatMap((line, index): readonly DatabaseFile[] => {
      const text = line.slice(0, 1000);
      const file = COMMENT.test(text) ? undefined : (FILE_SETTING.exec(text)?.[1] ?? FILE_URL.exec(text)?.[1]);
      const { kind, name } = config.origin?.config ?? { kind: 'ConfigMap', name: '' };
      const quote: Quote = { source: 'object', object: `${kind.toLowerCase()}/${name}`, says: `names ${file ?? ''}` };
      return file === undefined ? [] : [{ file, at: `line ${index + 1} of ${config.file}`, quote }];
    });
  });
}

/** "connect('/data/app.db')" */
const FILE_IN_CODE = /["'`](\/[\w./@-]{1,300}\.(?:db|db3|sqlite3?))["'`]/g;

/** The only database file that its own code names; undefined: none, or several. */
export function onlyDatabaseInCode(texts: readonly CodeText[]): string | undefined {
  const all = new Set(
    texts.flatMap(({ lines }) =>
      lines.flatMap((line) => [...line.matchAll(FILE_IN_CODE)].flatMap(([, file]) => file ?? [])),
    ),
  );
  return all.size === 1 ? [...all][0] : undefined;
}
