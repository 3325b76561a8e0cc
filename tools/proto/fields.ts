/**
 * Writes the wire facts of upstream's own .proto files as tables that our own are checked against: one line per field
 * (`message field number type`), enum value and method. Names and numbers only, no prose.
 *
 *   node tools/proto/fields.ts
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { debianPackages } from '../debian.ts';

const root = resolve(import.meta.dirname, '..', '..');
const buf = join(root, 'node_modules', '.bin', 'buf');

interface Field {
  readonly name: string;
  readonly number: number;
  readonly label: string;
  readonly type: string;
  readonly typeName?: string;
}
interface Message {
  readonly name: string;
  readonly field?: readonly Field[];
  readonly nestedType?: readonly (Message & { readonly options?: { readonly mapEntry?: boolean } })[];
  readonly enumType?: readonly Enum[];
}
interface Enum {
  readonly name: string;
  readonly value: readonly { readonly name: string; readonly number?: number }[];
}
interface Method {
  readonly name: string;
  readonly inputType: string;
  readonly outputType: string;
  readonly serverStreaming?: boolean;
}
interface File {
  readonly package: string;
  readonly messageType?: readonly Message[];
  readonly enumType?: readonly Enum[];
  readonly service?: readonly { readonly name: string; readonly method: readonly Method[] }[];
}

const local = (name: string) => name.replace(/^\./, '');
const scalar = (type: string) => type.replace(/^TYPE_/, '').toLowerCase();

function fieldType(message: Message, field: Field): string {
  const entry = message.nestedType?.find(
    (nested) => nested.options?.mapEntry && field.typeName?.endsWith(`.${nested.name}`),
  );
  if (entry) {
    const [key, value] = entry.field ?? [];
    return `map<${scalar(key?.type ?? '')},${scalar(value?.type ?? '')}>`;
  }
  const type = field.typeName === undefined ? scalar(field.type) : local(field.typeName);
  return field.label === 'LABEL_REPEATED' ? `repeated ${type}` : type;
}

function* enumLines(prefix: string, list: readonly Enum[] = []): Generator<string> {
  for (const item of list) {
    for (const value of item.value) yield ['enum', `${prefix}${item.name}`, value.name, value.number ?? 0].join('\t');
  }
}

function* messageLines(prefix: string, messages: readonly Message[] = []): Generator<string> {
  for (const message of messages) {
    const name = `${prefix}${message.name}`;
    for (const field of message.field ?? []) {
      yield ['field', name, field.name, field.number, fieldType(message, field)].join('\t');
    }
    yield* enumLines(`${name}.`, message.enumType);
    yield* messageLines(
      `${name}.`,
      message.nestedType?.filter((nested) => !nested.options?.mapEntry),
    );
  }
}

function* fileLines(file: File): Generator<string> {
  for (const service of file.service ?? []) {
    for (const { name, inputType, outputType, serverStreaming } of service.method) {
      const answer = `${serverStreaming ? 'stream ' : ''}${local(outputType)}`;
      yield ['method', `${file.package}.${service.name}`, name, local(inputType), answer].join('\t');
    }
  }
  yield* enumLines(`${file.package}.`, file.enumType);
  yield* messageLines(`${file.package}.`, file.messageType);
}

/** Builds the files under `folder` and returns the lines of those in `paths`. */
function table(folder: string, paths: readonly string[]): string {
  const flags = paths.flatMap((path) => ['--path', join(folder, path)]);
  const { status, stdout, stderr } = spawnSync(
    buf,
    ['build', folder, '--as-file-descriptor-set', '--exclude-imports', '-o', '-#format=json', ...flags],
    {
      encoding: 'utf8',
      maxBuffer: 64 << 20,
    },
  );
  if (status !== 0) throw new Error(`buf build: ${stderr}`);
  const set = JSON.parse(stdout) as { readonly file: readonly File[] };
  return set.file
    .flatMap((file) => [...fileLines(file)])
    .toSorted()
    .join('\n');
}

/** A copy of `files` in which buf finds what it needs: the imports that only steer Go code are dropped with their options. */
function withoutGo(source: string, files: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'mendlet-proto-'));
  for (const file of files) {
    const text = readFileSync(join(source, file), 'utf8')
      .replace(/^import weak .*$/gm, '')
      .replace(/^.*option \((?:containerd|gogoproto)\..*$/gm, '')
      .replace(/ \[\(gogoproto[^\]]*\]/g, '');
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

function write(name: string, from: string, lines: string): void {
  writeFileSync(join(root, 'src', 'cri', 'proto', name), `# ${from}; written by tools/proto/fields.ts\n${lines}\n`);
}

if (import.meta.main) {
  const sid = debianPackages('sid', ['golang-k8s-cri-api-dev'])['golang-k8s-cri-api-dev'] ?? '';
  const cri = mkdtempSync(join(tmpdir(), 'mendlet-proto-'));
  cpSync(join(sid, 'usr/share/gocode/src/k8s.io/cri-api/pkg/apis/runtime/v1/api.proto'), join(cri, 'api.proto'));
  write('cri-v1-fields.tsv', 'CRI v1, k8s.io/cri-api 0.36', table(cri, ['api.proto']));
  rmSync(cri, { recursive: true });

  const base = 'github.com/containerd/containerd/api';
  const own = [
    'events/task.proto',
    'events/container.proto',
    'services/containers/v1/containers.proto',
    'services/events/v1/events.proto',
    'services/tasks/v1/tasks.proto',
    'types/task/task.proto',
  ].map((path) => `${base}/${path}`);
  const types = ['mount', 'metrics', 'descriptor'].map((name) => `${base}/types/${name}.proto`);
  const package16 = 'golang-github-containerd-containerd-dev';
  const source = join(debianPackages('bookworm', [package16])[package16] ?? '', 'usr/share/gocode/src');
  const folder = withoutGo(source, [...own, ...types]);
  write('containerd-fields.tsv', 'containerd 1.6', table(folder, own));
  rmSync(folder, { recursive: true });
}
