/** YAML as kubectl reads it. Pure. */
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
 * YAML 1.1 without its surprises: `yes` is true and `0644` is octal, as kubectl has it (which manifests rely on); but dates
 * stay text, and so does `22:30`, which 1.1 counts in sixties.
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

/** `1e3` is a number without a point, too (go-yaml's yamlStyleFloat). */
function withExponents(tag: ScalarTagDefinition<number>): ScalarTagDefinition<number> {
  return defineScalarTag<number>(tag.tagName, {
    ...tag,
    resolve: (source, isExplicit, name) =>
      /^[-+]?(\.\d+|\d+(\.\d*)?)(e[-+]?\d+)?$/i.test(source) ? Number(source) : tag.resolve(source, isExplicit, name),
  });
}

export interface YamlDocument {
  readonly text: string;
  /** 1-based line in the whole text at which it begins. */
  readonly line: number;
}

/** Splits at lines of `---`, as kubectl does. Documents of nothing but comments and blank lines are left out. */
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
      // What follows the marker on its line is the document's own.
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
