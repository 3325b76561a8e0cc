/** Prints a diagnosis: findings, evidence, commands to try. Control characters are made visible, except our own colours. Pure. */
import type { Diagnosis, Finding, LastError } from '../../diagnosis/index.ts';
import { plural, quoteText } from '../../diagnosis/index.ts';
import { visibleLine, visibleText } from '../../lib/index.ts';
import { wrapLine } from './wrap-line.ts';

export interface PrintOptions {
  /** Wall ms, for ages. */
  readonly now: number;
  readonly colours: boolean;
  /** The terminal's width; absent: no terminal, so that each finding stays on one line. */
  readonly columns?: number;
}

/** Columns before a headline, and before a quotation; what a quotation goes on with stands further in. */
const HEADLINE_INDENT = 4;
const QUOTE_INDENT = 6;

const SEVERITY_COLOURS = { critical: 31, warning: 33, info: 36 } as const;

export function printDiagnosis(diagnosis: Diagnosis, options: PrintOptions): string {
  const { findings, lastErrors = [], notLookedAt } = diagnosis;
  const lines = [
    findings.length === 0
      ? visibleLine(nothing(diagnosis))
      : paint(options, 1, visibleLine(`${title(diagnosis)}: ${diagnosis.state}`)),
    ...findings.flatMap((finding, index) => findingLines(finding, index + 1, options)),
    ...(findings.length === 0 ? lastErrors : []).map((error) => errorLine(diagnosis, error)),
    ...notLookedAt.map((what) => `not looked at: ${visibleLine(what)}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** "pod/web-1 (default, node n1)" */
function title({ subject }: Diagnosis): string {
  const { kind, name, namespace, nodeName } = subject;
  const where = [namespace, nodeName === undefined || nodeName === '' ? undefined : `node ${nodeName}`];
  const text = where.filter((part) => part !== undefined).join(', ');
  return text === '' ? nameOf({ kind, name }) : `${nameOf({ kind, name })} (${text})`;
}

/** "pod/web-1", "pods -l app=web", "the cluster" */
function nameOf({ kind, name }: Pick<Diagnosis['subject'], 'kind' | 'name'>): string {
  if (kind === 'cluster') return 'the cluster';
  return kind === 'pods' ? `pods ${name}` : `${kind}/${name}`;
}

function nothing(diagnosis: Diagnosis): string {
  const { state, notLookedAt, asWanted } = diagnosis;
  const what = nameOf(diagnosis.subject);
  if (notLookedAt.length > 0) return `found nothing wrong with ${what}, but not all could be looked at: ${state}`;
  return asWanted
    ? `nothing is wrong with ${what}: ${state}`
    : `${what} is not as wanted yet, and nothing says that it fails: ${state}`;
}

/** It is no finding: what the one who asks may look for, and what may just as well be over. */
function errorLine({ subject }: Diagnosis, { pod, container, line }: LastError): string {
  const command = ['kubectl', '-n', subject.namespace ?? 'default', 'logs', pod, '-c', container].join(' ');
  return `      ${visibleLine(`the last error in the log of ${container}, after which it went on: ${line} (${command})`)}`;
}

function findingLines(finding: Finding, number: number, options: PrintOptions): readonly string[] {
  const { says, severity, evidence, try: next, manifest, pods } = finding;
  const mark = severity === 'critical' ? '' : ` (${severity})`;
  return [
    ...wrapLine(`${visibleLine(says)}${mark}`, HEADLINE_INDENT, options.columns).map((line, index) => {
      const before = index === 0 ? `${String(number).padStart(2)}. ` : ' '.repeat(HEADLINE_INDENT);
      return `${before}${paint(options, SEVERITY_COLOURS[severity], line)}`;
    }),
    ...evidence.flatMap((quote) =>
      wrapLine(visibleLine(quoteText(quote, options.now)), QUOTE_INDENT + 2, options.columns).map(
        (line, index) => `${' '.repeat(index === 0 ? QUOTE_INDENT : QUOTE_INDENT + 2)}${line}`,
      ),
    ),
    ...(pods === undefined || pods.length < 2
      ? []
      : [`      ${plural(pods.length, 'pod')}: ${visibleLine(pods.join(', '))}`]),
    ...next.map((command, index) => `    ${index === 0 ? 'try: ' : '     '}${visibleLine(command)}`),
    ...(manifest === undefined ? [] : manifestLines(manifest)),
  ];
}

function manifestLines(manifest: string): readonly string[] {
  return [
    '    with:',
    ...manifest
      .trimEnd()
      .split('\n')
      .map((line) => `      ${visibleText(line)}`),
  ];
}

function paint({ colours }: PrintOptions, code: number, text: string): string {
  return colours ? `\u001b[${code}m${text}\u001b[0m` : text;
}
