/** The type that the checker knows a declared type by. Pure. */
import type { DeclaredType, ScalarType } from './declared-type.ts';
import { BOOL, BYTES, type CelType, DOUBLE, DURATION, DYN, INT, listOf, mapOf, STRING, TIMESTAMP } from './type.ts';

const SCALARS: Readonly<Record<ScalarType['kind'], CelType>> = {
  bool: BOOL,
  int: INT,
  double: DOUBLE,
  string: STRING,
  bytes: BYTES,
  timestamp: TIMESTAMP,
  duration: DURATION,
  dyn: DYN,
};

/** The type that the checker knows a declared one by. */
export function celTypeOf(type: DeclaredType): CelType {
  switch (type.kind) {
    case 'list':
      return listOf(celTypeOf(type.items));
    case 'map':
      return mapOf(STRING, celTypeOf(type.values));
    case 'object':
      return { kind: 'object', object: type };
    default:
      return SCALARS[type.kind];
  }
}
