/**
 * Finds impure files: a file whose header says "Pure" awaits nothing and imports no port, so that it can be read, and tested,
 * as a table.
 */
import { importsOf, isFunction, isOfTests, type SourceFile, visit } from './source-file.ts';
import { headerOf } from './headers.ts';

/** The ports of ARCHITECTURE.md: code that has one can touch the world. */
export const PORTS: readonly string[] = [
  'Clock',
  'Random',
  'FileSystem',
  'Process',
  'Logger',
  'Connection',
  'MetricsRegistry',
  'KubeClient',
  'Store',
  'RuntimeService',
  'ImageService',
  'Signer',
  'TokenSigner',
  'CertificateSigner',
  'NetworkMachine',
  'DnsSockets',
  'Cgroups',
  'Machine',
  'Meter',
  'ProbeTransport',
  'StreamDialer',
  'KernelLog',
  'Listeners',
];

export function findImpureFiles(files: readonly SourceFile[]): readonly string[] {
  return files.filter((file) => !isOfTests(file) && saysPure(file)).flatMap(impurities);
}

/** "Pure." or "Pure;": "Pure but for …" says that not all of it is. */
export function saysPure(file: SourceFile): boolean {
  return /\bPure\b(?!,? but)/.test(headerOf(file) ?? '');
}

function impurities(file: SourceFile): readonly string[] {
  const problems: string[] = [];
  const tell = (line: number, what: string): void => {
    problems.push(`src/${file.path}:${line}: ${what} in a file that says it is pure`);
  };
  for (const { names, line } of importsOf(file)) {
    for (const name of names) if (PORTS.includes(name)) tell(line, `the port ${name}`);
  }
  visit(file.tree(), undefined, (node) => {
    const waits = node.type === 'AwaitExpression' || (node.type === 'ForOfStatement' && node['await'] === true);
    if (waits || (isFunction(node) && node['async'] === true)) tell(file.lineAt(node.start), 'await');
  });
  return problems;
}
