declare const allowed: unique symbol;

/**
 * Text that may stand in a prompt. It is made in three ways only: written by us (`own`), said by those whom the model works
 * for or by the model itself (`spoken`), and, of everything else, by `Fence.around`. A plain string does not pass for it.
 */
export type PromptText = string & { readonly [allowed]: true };

/** Words of ours, around text that may stand in a prompt. */
export function promptText(words: TemplateStringsArray, ...between: readonly (PromptText | number)[]): PromptText {
  return String.raw({ raw: words }, ...between) as PromptText;
}

/** Of a message of the caller, or of an earlier turn of the model. */
export const conversationText = (text: string): PromptText => text as PromptText;

/** A name that can hold no sentence: of a tool, of a state, an id. */
export const safeName = (text: string): PromptText => text.replace(/[^A-Za-z0-9_.:-]/g, '_').slice(0, 64) as PromptText;

export const joinPromptText = (texts: readonly (PromptText | null)[], by: '\n' | '\n\n' | ' '): PromptText =>
  texts.filter((text) => text !== null && text !== '').join(by) as PromptText;
