/**
 * How the objects of a definition are served in each of its versions: as they are, with another `apiVersion` (conversion "None"), or as
 * the definition's webhook converts them.
 */
import {
  type CustomResourceDefinition,
  internalError,
  type OtherVersion,
  storageVersionOf,
  type StructuralSchema,
} from '../../api/index.ts';
import type { ApiObject } from '../registry/object.ts';
import type { Registration, ServedForm } from '../registry/registration.ts';
import type { ReadConverted, WebhookConverter } from './webhook-converter.ts';

/** The schemas of all versions of a definition, those that are not served included: objects may be stored in them. */
export type VersionSchemas = ReadonlyMap<string, StructuralSchema>;

/** What lies in the store, as a schema (undefined: it knows nothing) reads it today. */
export function readBy(schema: StructuralSchema | undefined, object: ApiObject): ApiObject {
  if (schema === undefined) return object;
  return schema.readStored(object) as unknown as ApiObject;
}

/** The forms of the versions of one definition. */
export interface VersionForms {
  /** Undefined: all objects are and were stored in this version, and nothing has to change on their way. */
  formOf(version: string): ServedForm | undefined;
}

export interface FormParts {
  readonly definition: CustomResourceDefinition;
  readonly schemas: VersionSchemas;
  /** Absent: the versions differ by name alone. */
  readonly converter?: WebhookConverter | undefined;
  /** The registration of a version, for objects that are stored in it. */
  readonly inVersion: (version: string, form: ServedForm) => Registration | undefined;
}

export function createForms(parts: FormParts): VersionForms {
  const { versions } = parts.definition.spec;
  const stored = parts.definition.status?.storedVersions ?? [];
  const make = parts.converter === undefined ? renamingForm : webhookForms(parts, parts.converter);
  return {
    formOf: (version) =>
      versions.length === 1 && stored.every((name) => name === version) ? undefined : make(parts, version),
  };
}

/** Without a webhook. */
function renamingForm({ definition, schemas }: FormParts, version: string): ServedForm {
  const { group } = definition.spec;
  const apiVersion = `${group}/${version}`;
  const storedVersion = `${group}/${storageVersionOf(definition) ?? version}`;
  const schema = schemas.get(version);
  const known = new WeakMap<ApiObject, ApiObject>();
  return {
    fromStored: (object) => {
      if (object.apiVersion === apiVersion) return object;
      const before = known.get(object);
      if (before !== undefined) return before;
      const converted = readBy(schema, { ...object, apiVersion });
      known.set(object, converted);
      return converted;
    },
    toStored: (object) => (object.apiVersion === storedVersion ? object : { ...object, apiVersion: storedVersion }),
    isCurrent: (object) => object.apiVersion === storedVersion,
    otherVersion: (other) => {
      const found = schemaOf(schemas, group, other);
      const rename = (to: string) => (object: object) => ({ ...object, apiVersion: to });
      return found && { place: found.place, to: rename(other), back: rename(apiVersion) };
    },
  };
}

function schemaOf(schemas: VersionSchemas, group: string, apiVersion: string): StructuralSchema | undefined {
  return apiVersion.startsWith(`${group}/`) ? schemas.get(apiVersion.slice(group.length + 1)) : undefined;
}

/** A conversion in the middle of a pure function, which cannot wait for it. */
class LacksConversion extends Error {
  readonly object: ApiObject;
  readonly apiVersion: string;

  constructor(object: ApiObject, apiVersion: string) {
    super('a conversion is not there yet');
    this.object = object;
    this.apiVersion = apiVersion;
  }
}

/** Conversions that owners of fields in other versions may need for one write: a few objects in each of ten versions. */
const MAX_LACKING = 64;

function webhookForms(
  { definition, schemas, inVersion }: FormParts,
  converter: WebhookConverter,
): (parts: FormParts, version: string) => ServedForm {
  const { group } = definition.spec;
  const storedVersion = `${group}/${storageVersionOf(definition) ?? ''}`;
  const reading = new Map<string, ReadConverted>();
  const readAs = (apiVersion: string): ReadConverted => {
    const known = reading.get(apiVersion);
    if (known !== undefined) return known;
    const schema = schemaOf(schemas, group, apiVersion);
    const read = (object: ApiObject): ApiObject =>
      schema === undefined ? object : (schema.readConverted(object) as unknown as ApiObject);
    reading.set(apiVersion, read);
    return read;
  };
  // What is stored has the defaults that readers will see.
  const readStored: ReadConverted = (object) => readBy(schemaOf(schemas, group, storedVersion), object);
  const converted = (object: ApiObject, apiVersion: string, read: ReadConverted): ApiObject => {
    if (object.apiVersion === apiVersion) return object;
    const found = converter.converted(object, read);
    if (found === undefined) throw internalError(`an object was not converted to ${apiVersion} before its use`);
    return found;
  };
  const textAs = (apiVersion: string) => (object: object) => {
    const given = object as ApiObject;
    if (given.apiVersion === apiVersion) return given;
    // Nothing is in it that a webhook could convert.
    if (isEmpty(given)) return { ...given, apiVersion };
    const found = converter.convertedText(given, apiVersion);
    if (found === undefined) throw new LacksConversion(given, apiVersion);
    return found;
  };
  const withOtherVersions = async <T>(run: () => T | Promise<T>): Promise<T> => {
    for (let round = 0; ; round++) {
      try {
        return await run();
      } catch (error) {
        if (!(error instanceof LacksConversion)) throw error;
        if (round >= MAX_LACKING)
          throw internalError('the owners of fields need too many conversions', { cause: error });
        await converter.convertText(error.object, error.apiVersion, readAs(error.apiVersion));
      }
    }
  };
  const formOf = (version: string, isStoredForm: boolean): ServedForm => {
    const apiVersion = `${group}/${version}`;
    const isHere = isStoredForm || apiVersion === storedVersion;
    return {
      fromStored: (object) => (isStoredForm ? object : converted(object, apiVersion, readAs(apiVersion))),
      toStored: (object) => (isHere ? object : converted(object, storedVersion, readStored)),
      isCurrent: (object) => isStoredForm || object.apiVersion === storedVersion,
      otherVersion: (other): OtherVersion | undefined => {
        const found = schemaOf(schemas, group, other);
        return found && { place: found.place, to: textAs(other), back: textAs(apiVersion) };
      },
      elsewhere: {
        prepareServed: (objects) =>
          isStoredForm ? undefined : converter.convert(objects, apiVersion, readAs(apiVersion)),
        prepareStored: (object) => (isHere ? undefined : converter.convert([object], storedVersion, readStored)),
        withOtherVersions,
        inStoredVersion: (stored) => {
          const name = (stored.apiVersion ?? '').slice(group.length + 1);
          return inVersion(name, formOf(name, true));
        },
      },
    };
  };
  return (_, version) => formOf(version, false);
}

/** The state before an object is created (upstream: isEmptyUnstructuredObject). */
function isEmpty(object: ApiObject): boolean {
  const { apiVersion: _, kind: __, metadata, ...others } = object;
  return Object.keys(others).length === 0 && Object.keys(metadata ?? {}).length === 0;
}
