import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseGoFile } from './go-types.ts';
import type { Schema } from './schema-format.ts';
import { chooseNames, printTypes } from './type-script.ts';

const api = resolve(import.meta.dirname, '../../src/api');
const read = (name: string) => readFileSync(resolve(api, name), 'utf8');

describe('printTypes', () => {
  it('prints exactly the committed types', () => {
    const schema = JSON.parse(read('schema/schema.json')) as Schema;
    expect(printTypes(schema)).toBe(read('types.gen.ts'));
  });

  it('gives the plain name to the more common group', () => {
    const names = chooseNames(['events.v1.Event', 'core.v1.Event', 'autoscaling.v1.Metric', 'autoscaling.v2.Metric']);
    expect(Object.fromEntries(names)).toEqual({
      'core.v1.Event': 'Event',
      'events.v1.Event': 'EventsEvent',
      'autoscaling.v2.Metric': 'Metric',
      'autoscaling.v1.Metric': 'AutoscalingMetric',
    });
  });
});

describe('parseGoFile', () => {
  it('reads names, tags, markers and inlined structs', () => {
    const text = [
      'package v1',
      'import (',
      '\tmetav1 "example.org/meta/v1"',
      ')',
      'type Mode string',
      'type Thing struct {',
      '\tmetav1.TypeMeta `json:",inline"`',
      '\t// Words that nobody keeps.',
      '\t// +optional',
      '\t// +listType=map',
      '\tParts []Part `json:"parts,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,1,rep,name=parts"`',
      '\tMode *Mode `json:"mode"`',
      '\thidden string',
      '}',
    ].join('\n');
    const types = parseGoFile(text, 'example.org/api/v1');
    expect(types.get('Mode')).toEqual({ kind: 'named', type: 'string' });
    expect(types.get('Thing')).toEqual({
      kind: 'struct',
      markers: [],
      fields: [
        {
          jsonName: '',
          inline: true,
          omitempty: false,
          omitzero: false,
          type: 'example.org/meta/v1.TypeMeta',
          markers: [],
        },
        {
          jsonName: 'parts',
          inline: false,
          omitempty: true,
          omitzero: false,
          type: '[]example.org/api/v1.Part',
          markers: ['optional', 'listType=map'],
          patchStrategy: 'merge',
          patchMergeKey: 'name',
        },
        {
          jsonName: 'mode',
          inline: false,
          omitempty: false,
          omitzero: false,
          type: '*example.org/api/v1.Mode',
          markers: [],
        },
      ],
    });
  });
});
