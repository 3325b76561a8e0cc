/** Finds the error that a logger prints on a line of its own below its message, without places in code. Pure. */
import type { RoledLine } from './traces.ts';

/** "psycopg2.errors.UndefinedTable: relation …", "java.sql.SQLException: …", "Net::ReadTimeout: …" */
const BARE = /^(?:[A-Za-z_]\w{0,60}(?:\.|::|\\)){1,8}[A-Z]\w{0,80}(?: \([^)]{1,100}\))?: \S/;

/** The lines; one that names an error right below a line of a logger about a failure is the cause of that. */
export function withBareCauses(roled: readonly RoledLine[]): readonly RoledLine[] {
  return roled.map((line, at): RoledLine => {
    const above = roled[at - 1];
    const isBare = line.role === 'line' && line.level === undefined && line.atMs === undefined && line.indent === 0;
    if (!isBare || above === undefined || !BARE.test(line.said)) return line;
    const isOfLogger = above.role === 'line' && (above.atMs !== undefined || above.said !== above.text);
    const isFailure = above.level === 'error' || above.level === 'fatal' || above.level === 'warning';
    return isOfLogger && isFailure ? { ...line, role: 'cause' } : line;
  });
}
