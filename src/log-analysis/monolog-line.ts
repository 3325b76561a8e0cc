/** Reads what PHP's Monolog puts behind a message: contexts in JSON, and in them errors with those before them. Pure. */

/** "[object] (PDOException(code: 2002): no connection at /app/src/Db.php:3)" */
const OBJECT = /\[object\] \(([A-Za-z_][\w\\]{0,200})\(code: -?\w{1,20}\): (.{1,600}?) at [^\s()]{1,300}:\d{1,7}\)/g;
/** Where the contexts begin, of a whole line or of one whose stack trace goes on in the next lines. */
const CONTEXT = ' {"exception":"[object] (';
const PREVIOUS = /^\[previous exception\] (?=\[object\] \()/;
/** Contexts without anything in them. */
const EMPTY = /(?: (?:\[\]|\{\})){1,2}$/;

/** The message with the innermost error of its context, and without the rest of that. */
export function withoutContext(text: string): string {
  const at = text.indexOf(CONTEXT);
  const isPrevious = PREVIOUS.test(text);
  if (at === -1 && !isPrevious) return text.length > 6 ? text.replace(EMPTY, '') : text;
  const [name, message] = lastError(text.slice(Math.max(0, at)));
  if (message === undefined || name === undefined) return text;
  const head = isPrevious ? '' : text.slice(0, at);
  if (head === '') return `${name}: ${message}`;
  return head.includes(message) ? head : `${head}: ${name}: ${message}`;
}

function lastError(context: string): readonly [string?, string?] {
  const [, name, message] = [...context.matchAll(OBJECT)].at(-1) ?? [];
  return [name?.replaceAll('\\\\', '\\'), message];
}
