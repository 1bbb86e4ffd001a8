/** A page or a record that was found. */
export interface Result {
  to: string;
  name: string;
  detail?: string;
}

export interface ResultGroup {
  label: string;
  results: readonly Result[];
}

export const resultsPerGroup = 5;
