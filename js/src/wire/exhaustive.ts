/** Where a `switch` over a generated union ends: it does not compile while a case is missing. */
export function assertNever(value: never): never {
  throw new Error(`a case is missing for ${JSON.stringify(value)}`);
}
