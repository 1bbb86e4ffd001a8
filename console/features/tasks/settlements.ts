/** How a person resolved an unknown outcome. */
export const settlementNames = {
  happened: 'marked as executed',
  did_not_happen: 'marked as not executed',
  run_again: 'run again',
};
