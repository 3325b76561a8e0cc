/** Parses YAML as kubectl does. Pure. */
import {
  boolYaml11Tag,
  defineScalarTag,
  floatYaml11Tag,
  intYaml11Tag,
  load,
  mapTag,
  mergeTag,
  NOT_RESOLVED,
  nullYaml11Tag,
  type ScalarTagDefinition,
  Schema,
  seqTag,
  strTag,
} from 'js-yaml';

/**
 * YAML 1.1 as kubectl reads it: `yes` is true and `0644` is octal, which manifests rely on. Dates stay text, and so does `22:30`,
 * which YAML 1.1 reads as a sexagesimal number.
 */
const schema = new Schema([
  mapTag,
  seqTag,
  strTag,
  nullYaml11Tag,
  boolYaml11Tag,
  withoutColon(intYaml11Tag),
  withExponents(withoutColon(floatYaml11Tag)),
  mergeTag,
]);

function withoutColon(tag: ScalarTagDefinition<number>): ScalarTagDefinition<number> {
  return defineScalarTag<number>(tag.tagName, {
    ...tag,
    resolve: (source, isExplicit, name) =>
      source.includes(':') ? NOT_RESOLVED : tag.resolve(source, isExplicit, name),
  });
}

/** Accepts exponents without a decimal point, such as `1e3` (go-yaml's yamlStyleFloat). */
function withExponents(tag: ScalarTagDefinition<number>): ScalarTagDefinition<number> {
  return defineScalarTag<number>(tag.tagName, {
    ...tag,
    resolve: (source, isExplicit, name) =>
      /^[-+]?(\.\d+|\d+(\.\d*)?)(e[-+]?\d+)?$/i.test(source) ? Number(source) : tag.resolve(source, isExplicit, name),
  });
}

export interface YamlDocument {
  readonly text: string;
  /** The 1-based line of the whole text at which the document begins. */
  readonly line: number;
}

/** Splits a text at lines of `---`, as kubectl does. Documents with only comments and blank lines are left out. */
export function splitDocuments(text: string): readonly YamlDocument[] {
  const documents: YamlDocument[] = [];
  let lines: string[] = [];
  let start = 1;
  const finish = (): void => {
    if (lines.some((line) => line.trim() !== '' && !/^\s*#|^(%|\.\.\.$)/.test(line))) {
      documents.push({ text: lines.join('\n'), line: start });
    }
  };
  text.split(/\r?\n/).forEach((line, index) => {
    if (/^---(\s|$)/.test(line)) {
      finish();
      // Text after the marker on its line belongs to the document.
      lines = [line.slice(3)];
      start = index + 1;
    } else {
      lines.push(line);
    }
  });
  finish();
  return documents;
}

/** One document's value. @throws YAMLException with a mark relative to the document */
export function parseDocument(document: YamlDocument): unknown {
  return parseYamlText(document.text);
}

/** The value of a text that is one document. @throws YAMLException */
export function parseYamlText(text: string): unknown {
  return load(text, { schema });
}
