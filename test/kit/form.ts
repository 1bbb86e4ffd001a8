import type { Locator, Page } from 'playwright-core';

/** Finds a field by its label, without the marker of required fields. */
export const field = (within: Page | Locator, label: string): Locator =>
  within.getByRole('textbox', { name: label, exact: true }).or(within.getByLabel(label, { exact: true }));

export const button = (within: Page | Locator, name: string): Locator =>
  within.getByRole('button', { name, exact: true });

/** Chooses an entry of a "More about …" menu. */
export async function chooseMore(page: Page, about: string, entry: string): Promise<void> {
  await page.getByRole('button', { name: `More about this ${about}` }).click();
  await page.getByRole('menuitem', { name: entry, exact: true }).click();
}

/** Types the name that a dialog requires and presses its button. */
export async function confirmByName(page: Page, name: string, verb: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(`Type "${name}" to confirm`).fill(name);
  await button(dialog, verb).click();
}

/** Opens a select by its label and chooses an option. */
export async function pick(within: Page | Locator, label: string, option: string | RegExp): Promise<void> {
  await field(within, label)
    .or(within.getByRole('combobox', { name: label }))
    .first()
    .click();
  const page = 'page' in within ? within.page() : within;
  await page.getByRole('option', { name: option, exact: typeof option === 'string' }).click();
}
