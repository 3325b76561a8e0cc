/** Leaves out of a line what its reader can do without: lists of folders, statements, parameters, places in libraries. Pure. */
import { isForeign } from './traces.ts';

/** " (@INC contains: /etc/perl /usr/share/perl5)" */
const SEARCHED = / \((?:@INC (?:contains|entries checked)|(?:sys\.path|load path|search path) ?[:=]) ?[^()]{1,4000}\)/g;
/** Lua's, at the end of what it did not find: ": no field package.preload['a'] no file '/usr/share/lua/a.lua'". */
const SEARCHED_BY_LUA = /: no field package\.preload\[.{0,4000}$/;
/** Five paths or more: "'/usr/lib/app', '/opt/app', …", "/usr/bin:/bin:…". */
const PATHS = /(\/[^\s,:;()'"[\]]{1,200})((?:["']?[\s,:;]{1,3}["']?\/[^\s,:;()'"[\]]{1,200}){4,200})["']?/g;
/** What PostgreSQL shows of the statement. */
const STATEMENT_LINE = / LINE \d{1,5}: .{1,400}$/;
/** Mistakes that the statement itself shows. */
const OF_STATEMENT = /\bsyntax error\b|\bcolumn\b|\bfunction\b|\boperator\b|\bambiguous\b|\binput syntax\b/i;
/** SQLAlchemy's, which hold values. */
const PARAMETERS = / \[parameters: [^\]]{1,2000}\]/;
/** Ruby's place before its error. */
const RUBY_PLACE = /^(\/\S{1,300}?):\d{1,7}:in [`'][^']{0,200}': (?=\S)/;

/** The text without these. */
export function withoutLists(text: string): string {
  const [, path] = RUBY_PLACE.exec(text) ?? [];
  const own = path !== undefined && isForeign(path) ? text.replace(RUBY_PLACE, '') : text;
  return withoutStatement(own.replace(SEARCHED, '').replace(SEARCHED_BY_LUA, '')).replace(
    PATHS,
    (_, first: string, more: string) => {
      const count = 1 + (more.match(/[\s,:;"']\//g)?.length ?? 0);
      const isQuoted = /["']/.test(more);
      return `${first}${isQuoted ? `'` : ''} … (${count} paths)`;
    },
  );
}

function withoutStatement(text: string): string {
  const without = text.replace(STATEMENT_LINE, '');
  const told = OF_STATEMENT.test(without) || without === text ? text : closed(without);
  return told.replace(PARAMETERS, '');
}

/** With the bracket that stood at the end of what was left out. */
function closed(text: string): string {
  return (text.match(/\(/g)?.length ?? 0) > (text.match(/\)/g)?.length ?? 0) ? `${text})` : text;
}
