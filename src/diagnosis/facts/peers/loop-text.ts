/** Writes a script that waits for a peer as if its variables and quotes were not there, so that host and port stand in it as words. Pure. */
import type { Container } from '../../evidence/kinds.ts';
import type { Variable } from '../variables/environment.ts';

/** Characters of a command that are looked at. */
const MAX_TEXT = 4000;
/** "HOST=db; until nc -z $HOST 5432": what a script sets itself. */
const ASSIGNS = /(?:^|[\s;&|])(?:export )?([A-Za-z_]\w{0,60})=["']?([\w.:-]{1,200})["']?(?=[\s;&|]|$)/g;
/** "${DB_HOST:-db}" */
const DEFAULTS = /\$\{(\w{1,60}):?-["']?([\w.:-]{0,200})["']?\}/g;
const SHELL = /\$(?:\((\w{1,60})\)|\{(\w{1,60})\}|(\w{1,60}))/g;
/** 'os.environ["DB_HOST"]', 'os.getenv("DB_HOST", "db")', 'ENV.fetch("DB_HOST")', "process.env.DB_HOST", "$ENV{DB_HOST}" */
const LOOK_UPS =
  /(?:\b(?:os\.)?(?:environ|getenv|ENV)(?:\.(?:get|fetch))?[[(]|\$ENV\{)["']?(\w{1,60})["']?(?:, ?["']?[\w.:-]{0,200}["']?)?[\])}]|\bprocess\.env\.(\w{1,60})/g;
/** A word in quotes. */
const QUOTED = /(["'])([\w.:-]{1,200})\1/g;

/** The words of a container's command and arguments. */
export function wordsOfCommand(spec: Container, environment: readonly Variable[]): string {
  const text = [...(spec.command ?? []), ...(spec.args ?? [])].join(' ').slice(0, MAX_TEXT);
  const { env = [], envFrom = [] } = spec;
  // What a Secret or a field sets is not known here.
  const mayBeSet = (name: string): boolean =>
    env.some((each) => each.name === name) || envFrom.some(({ secretRef }) => secretRef !== undefined);
  return wordsOfScript(text, environment, mayBeSet);
}

/**
 * The same of a script's text.
 *
 * @param mayBeSet whether a variable whose value is not known may have one, so that its default says nothing
 */
export function wordsOfScript(
  text: string,
  environment: readonly Variable[] = [],
  mayBeSet: (name: string) => boolean = () => true,
): string {
  const given = new Map(environment.map(({ name, value }) => [name, value]));
  const withDefaults = text.replace(DEFAULTS, (whole, name: string, value: string) => {
    return given.get(name) ?? (mayBeSet(name) ? whole : value);
  });
  const own = new Map([...withDefaults.matchAll(ASSIGNS)].map(([, name = '', value = '']) => [name, value]));
  const valueOf = (name = ''): string | undefined => own.get(name) ?? given.get(name);
  return withDefaults
    .replace(SHELL, (whole, a?: string, b?: string, c?: string) => valueOf(a ?? b ?? c) ?? whole)
    .replace(LOOK_UPS, (whole, a?: string, b?: string) => valueOf(a ?? b) ?? whole)
    .replace(QUOTED, '$2');
}
