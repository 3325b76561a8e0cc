/** Reads from an expression of Prometheus which metrics and labels it uses; as much of the language as that needs. Pure. */

export interface UsedMetric {
  readonly name: string;
  /** Of its selector. */
  readonly labels: readonly string[];
}

export interface Usage {
  readonly metrics: readonly UsedMetric[];
  /** After `by`, `on` and their like. */
  readonly grouping: readonly string[];
}

const WORD = /[A-Za-z_:][\w:]*/y;
const GROUPING = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right']);
const OPERATORS = new Set(['and', 'or', 'unless', 'bool', 'offset', 'atan2']);

/** @throws Error for brackets that are not closed */
export function usageOf(expression: string): Usage {
  const metrics: UsedMetric[] = [];
  const grouping: string[] = [];
  const text = withoutTexts(expression);
  for (let at = 0; at < text.length; ) {
    if (text[at] === '[') {
      at = closing(text, at, '[', ']');
      continue;
    }
    WORD.lastIndex = at;
    const [word] = WORD.exec(text) ?? [];
    if (word === undefined) {
      // A number with its unit ("5m") is no word.
      const [number = text[at] ?? ''] = /^[\d.]+\w*/.exec(text.slice(at)) ?? [];
      at += number.length;
      continue;
    }
    at += word.length;
    const next = at + (/^\s*/.exec(text.slice(at))?.[0].length ?? 0);
    if (GROUPING.has(word)) {
      if (text[next] !== '(') continue;
      const end = closing(text, next, '(', ')');
      grouping.push(
        ...text
          .slice(next + 1, end - 1)
          .split(',')
          .map((label) => label.trim())
          .filter((label) => label !== ''),
      );
      at = end;
    } else if (text[next] === '(' || OPERATORS.has(word) || isAggregation(text, next)) {
      at = next;
    } else {
      const end = text[next] === '{' ? closing(text, next, '{', '}') : next;
      const labels = [...text.slice(next, end).matchAll(/([A-Za-z_]\w*)\s*(?:=~|!~|!=|=)/g)].map(
        ([, label = '']) => label,
      );
      metrics.push({ name: word, labels });
      at = end;
    }
  }
  return { metrics, grouping };
}

/** "sum by (x) (…)" */
function isAggregation(text: string, next: number): boolean {
  return /^(?:by|without)\s*\(/.test(text.slice(next, next + 20));
}

/** Quoted texts become empty ones: what is in them is no code. */
function withoutTexts(expression: string): string {
  return expression.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""');
}

/** The place behind the bracket that closes the one at `from`. */
function closing(text: string, from: number, open: string, close: string): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === open) depth += 1;
    if (text[at] === close) depth -= 1;
    if (depth === 0) return at + 1;
  }
  throw new Error(`"${open}" is not closed in ${text}`);
}
