/**
 * Checks for tests that a text is valid in Prometheus' exposition format 0.0.4, and lists the problems line by line.
 */
const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = String.raw`[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"`;
const SAMPLE = new RegExp(String.raw`^(${NAME})(\{(?:${LABEL}(?:,${LABEL})*,?)?\})? (\S+)(?: (-?\d+))?$`);
const COMMENT = new RegExp(String.raw`^# (HELP|TYPE) (${NAME})(?: (.*))?$`);
const TYPES = new Set(['counter', 'gauge', 'histogram', 'summary', 'untyped']);

export function checkMetricsText(text: string): readonly string[] {
  const problems: string[] = [];
  const types = new Map<string, string>();
  const helped = new Set<string>();
  const finished = new Set<string>();
  const series = new Set<string>();
  let family = '';
  if (text !== '' && !text.endsWith('\n')) problems.push('the last line has no end');
  const enter = (name: string, line: string): void => {
    if (name === family) return;
    if (family !== '') finished.add(family);
    if (finished.has(name)) problems.push(`lines of ${name} do not stand together: ${line}`);
    family = name;
  };
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const comment = COMMENT.exec(line);
    if (comment !== null) {
      const [, kind = '', name = '', rest = ''] = comment;
      enter(name, line);
      if (kind === 'HELP' && helped.has(name)) problems.push(`a second HELP: ${line}`);
      if (kind === 'HELP') helped.add(name);
      if (kind === 'TYPE' && (types.has(name) || !TYPES.has(rest))) problems.push(`a second or unknown TYPE: ${line}`);
      if (kind === 'TYPE') types.set(name, rest);
      continue;
    }
    const found = SAMPLE.exec(line);
    if (found === null) {
      problems.push(`not a sample: ${line}`);
      continue;
    }
    const [, name = '', labels = '', value = ''] = found;
    const base = name.replace(/_(bucket|sum|count)$/, '');
    const owner = types.get(base) === 'histogram' ? base : name;
    enter(owner, line);
    if (!types.has(owner)) problems.push(`no TYPE before it: ${line}`);
    if (!/^([+-]?Inf|NaN|[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?)$/i.test(value)) problems.push(`not a number: ${line}`);
    if (series.has(name + labels)) problems.push(`twice: ${line}`);
    series.add(name + labels);
  }
  return problems;
}
