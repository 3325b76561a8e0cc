import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DescEnum, type DescField, type DescFile, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { afterAll, describe, expect, it } from 'vitest';
import { generate } from '../../tools/proto/generate.ts';
import { file_containerd_containers } from './gen/containerd-containers_pb.js';
import { file_containerd_event_types } from './gen/containerd-event-types_pb.js';
import { file_containerd_events } from './gen/containerd-events_pb.js';
import { file_containerd_task_types } from './gen/containerd-task-types_pb.js';
import { file_containerd_tasks } from './gen/containerd-tasks_pb.js';
import { file_runtime } from './gen/runtime_pb.js';

const here = import.meta.dirname;
const facts = (name: string) =>
  new Set(
    readFileSync(join(here, 'proto', name), 'utf8')
      .split('\n')
      .slice(1),
  );

function typeOf(field: DescField): string {
  const scalar = (type: ScalarType) => ScalarType[type].toLowerCase();
  switch (field.fieldKind) {
    case 'scalar':
      return scalar(field.scalar);
    case 'enum':
      return field.enum.typeName;
    case 'message':
      return field.message.typeName;
    case 'map':
      return `map<${scalar(field.mapKey)},${field.mapKind === 'scalar' ? scalar(field.scalar) : field.mapKind}>`;
    case 'list':
      if (field.listKind === 'scalar') return `repeated ${scalar(field.scalar)}`;
      return `repeated ${field.listKind === 'enum' ? field.enum.typeName : field.message.typeName}`;
  }
}

const enumLines = (list: readonly DescEnum[]) =>
  list.flatMap((item) => item.values.map((value) => `enum\t${item.typeName}\t${value.name}\t${value.number}`));

const messageLines = (list: readonly DescMessage[]): string[] =>
  list.flatMap((message) => [
    ...message.fields.map((field) => `field\t${message.typeName}\t${field.name}\t${field.number}\t${typeOf(field)}`),
    ...enumLines(message.nestedEnums),
    ...messageLines(message.nestedMessages),
  ]);

function lines(file: DescFile): string[] {
  const methods = file.services.flatMap((service) =>
    service.methods.map((method) => {
      const stream = method.methodKind === 'server_streaming' ? 'stream ' : '';
      return `method\t${service.typeName}\t${method.name}\t${method.input.typeName}\t${stream}${method.output.typeName}`;
    }),
  );
  return [...methods, ...enumLines(file.enums), ...messageLines(file.messages)];
}

describe('our .proto files', () => {
  it.each([
    ['CRI v1', file_runtime, 'cri-v1-fields.tsv', 300],
    ["containerd's event service", file_containerd_events, 'containerd-fields.tsv', 8],
    ["containerd's task service", file_containerd_tasks, 'containerd-fields.tsv', 6],
    ["containerd's container service", file_containerd_containers, 'containerd-fields.tsv', 6],
    ["containerd's words for tasks", file_containerd_task_types, 'containerd-fields.tsv', 8],
    ["containerd's events", file_containerd_event_types, 'containerd-fields.tsv', 15],
  ])('agree with %s in every number and type', (_, file, table, atLeast) => {
    const upstream = facts(table);
    const ours = lines(file);
    expect(ours.length).toBeGreaterThan(atLeast);
    expect(ours.filter((line) => !upstream.has(line))).toEqual([]);
  });
});

describe('generated code', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mendlet-gen-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is what the generator makes of them now', { timeout: 120_000 }, () => {
    generate('cri', folder);
    const names = readdirSync(join(here, 'gen')).toSorted();
    expect(readdirSync(folder).toSorted()).toEqual(names);
    for (const name of names) {
      expect(readFileSync(join(folder, name), 'utf8'), name).toBe(readFileSync(join(here, 'gen', name), 'utf8'));
    }
  });
});
