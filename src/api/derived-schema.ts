/** The schema of a kind that has a type in Kubernetes: its derived structure, with the rules of its row. Pure. */
import { fillDefaults } from './defaulting/defaults.ts';
import type { FieldError } from './field-error.ts';
import type { KubeObject } from './kube-object.ts';
import { DEDUCED, type Place, placeOfStruct } from './managed-fields/place.ts';
import type { ObjectFields, ObjectSchema, PrunedObject, SchemaReader } from './object-schema.ts';
import { PatchError } from './patch/patch-error.ts';
import type { Steps } from './patch/steps.ts';
import { mergeByStruct } from './patch/strategic-merge-patch.ts';
import { apiVersionOf, type Resource } from './resource.ts';
import { canonicalOfStruct } from './schema/canonical.ts';
import { type StructSchema, structOfKind } from './schema/schema.ts';
import { equalByStruct } from './schema/semantic-equality.ts';
import { readStruct } from './schema/structure.ts';
import { badRequest } from './status-error.ts';
import { sizeErrors } from './validation/object-size.ts';
import { checkCreate, checkUpdate } from './validation/validate.ts';

/** The part of a row that its schema needs. */
type SchemaRow = Pick<Resource<unknown>, 'group' | 'version' | 'kind' | 'namespaced' | 'rules'>;

export class DerivedSchema implements ObjectSchema {
  readonly #row: SchemaRow;
  readonly #struct: StructSchema | undefined;

  constructor(row: SchemaRow) {
    this.#row = row;
    this.#struct = structOfKind(apiVersionOf(row), row.kind);
  }

  /** Throws `StatusError` 400 as well: for a kind whose types are not known. */
  prune(body: ObjectFields): PrunedObject {
    const struct = this.#struct;
    if (struct === undefined) {
      const { kind } = this.#row;
      throw badRequest(`no kind "${kind}" is registered for version "${apiVersionOf(this.#row)}"`);
    }
    const { object, unknownFields } = readStruct(struct, body);
    return { object: canonicalOfStruct(struct, object), unknownFields };
  }

  setDefaults(pruned: ObjectFields): ObjectFields {
    fillDefaults(this.#row, pruned);
    return pruned;
  }

  readStored(stored: ObjectFields): ObjectFields {
    return this.setDefaults(this.canonical(stored));
  }

  checkSize(body: ObjectFields): readonly FieldError[] {
    return sizeErrors(this.#struct, body, undefined);
  }

  checkNew(object: KubeObject): readonly FieldError[] {
    const tooLarge = sizeErrors(this.#struct, object, undefined);
    return tooLarge.length > 0 ? tooLarge : checkCreate(this.#row, object);
  }

  checkChanged(object: KubeObject, old: KubeObject, part: string): readonly FieldError[] {
    const tooLarge = sizeErrors(this.#struct, object, old);
    return tooLarge.length > 0 ? tooLarge : checkUpdate(this.#row, object, old, part);
  }

  canonical<T extends object>(object: T, known?: object): T {
    return this.#struct === undefined ? object : canonicalOfStruct(this.#struct, object, known);
  }

  equal(objects: readonly [object, object], ignored: ReadonlySet<string>): boolean {
    return equalByStruct(this.#struct, objects, ignored);
  }

  get place(): Place {
    return this.#struct === undefined ? DEDUCED : placeOfStruct(this.#struct);
  }

  readonly patchSteps = (object: unknown, patch: unknown): Steps<unknown> => {
    if (this.#struct !== undefined) return mergeByStruct(this.#struct, object, patch);
    const what = `${apiVersionOf(this.#row)} ${this.#row.kind}`;
    throw new PatchError('inapplicable', `there is no strategic merge patch for ${what}`);
  };

  describe<T>(to: SchemaReader<T>): T {
    return to.types(this.#struct);
  }
}
