import { describe, expect, it } from 'vitest';
import { negotiateObject } from './negotiate.ts';

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const oldTable = 'application/json;as=Table;v=v1beta1;g=meta.k8s.io';
const protobuf = 'application/vnd.kubernetes.protobuf';

describe('negotiateObject', () => {
  it.each([
    [undefined, { as: 'object' }],
    ['*/*', { as: 'object' }],
    ['application/json', { as: 'object' }],
    [`${protobuf}, application/json`, { as: 'object' }],
    [`${table},${oldTable},application/json`, { as: 'table', version: 'v1' }],
    [`${oldTable}, application/json`, { as: 'table', version: 'v1beta1' }],
    ['application/json;q=0.9, application/json;as=Table;v=v1;g=meta.k8s.io;q=1', { as: 'table', version: 'v1' }],
    [`application/json;as=Table;v=v2;g=meta.k8s.io,application/json`, { as: 'object' }],
    [`application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io`, { as: 'metadata', version: 'v1' }],
  ] as const)('%s', (accept, form) => {
    expect(negotiateObject(accept)).toEqual(form);
  });

  it.each([protobuf, 'text/html', 'application/json;as=Table;v=v2;g=meta.k8s.io'])('refuses %s', (accept) => {
    expect(() => negotiateObject(accept)).toThrow('only the following media types are accepted: application/json');
  });

  it('gives metadata alone as what the answer is', () => {
    const [one, list] = ['PartialObjectMetadata', 'PartialObjectMetadataList'].map(
      (kind) => `application/json;as=${kind};v=v1;g=meta.k8s.io,application/json`,
    );
    expect(negotiateObject(list, 'list')).toEqual({ as: 'metadata', version: 'v1' });
    expect(() => negotiateObject(one, 'list')).toThrow(
      'you requested PartialObjectMetadata, but the requested object is a list',
    );
    expect(() => negotiateObject(list, 'object')).toThrow(
      'you requested PartialObjectMetadataList, but the requested object is not a list',
    );
  });
});
