import {
  createTheme,
  type CSSVariablesResolver,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
} from '@mantine/core';

/** The brand green, from light to dark. */
const sign: MantineColorsTuple = [
  '#eef7f1',
  '#d6eadd',
  '#b0d8be',
  '#86c49c',
  '#5fae7c',
  '#3f9661',
  '#2b7d4c',
  '#1e683d',
  '#14532d',
  '#0d3c20',
];

export const theme = createTheme({
  primaryColor: 'sign',
  primaryShade: { light: 7, dark: 3 },
  autoContrast: true,
  luminanceThreshold: 0.35,
  variantColorResolver: (input) => {
    const colors = defaultVariantColorsResolver(input);
    // in the dark scheme, filled components have a light shade, which Mantine does not consider
    return input.variant === 'filled'
      ? { ...colors, color: `light-dark(${colors.color}, var(--mantine-color-black))` }
      : colors;
  },
  colors: { sign },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  headings: {
    fontWeight: '620',
    sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.15rem' }, h3: { fontSize: '1rem' } },
  },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Modal: {
      defaultProps: {
        centered: true,
        overlayProps: { backgroundOpacity: 0.45 },
        closeButtonProps: { 'aria-label': 'Close' },
        // the page already has a banner landmark
        attributes: { header: { role: 'presentation' } },
      },
    },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Dismiss' } } },
    Tooltip: { defaultProps: { openDelay: 250, withArrow: true, multiline: true, maw: 340 } },
    Table: { defaultProps: { verticalSpacing: 'sm' } },
    Badge: { defaultProps: { variant: 'light', radius: 'sm', tt: 'none', fw: 550 } },
    Paper: { defaultProps: { withBorder: true } },
    Card: { defaultProps: { withBorder: true } },
  },
});

/**
 * The colours of the pages without JavaScript. Dimmed text, placeholders, errors and red buttons have a contrast of at
 * least 4.5.
 */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#fbfaf7',
    '--mantine-color-text': '#1d2126',
    '--mantine-color-dimmed': '#5c646e',
    '--mantine-color-placeholder': '#6a727c',
    '--mantine-color-default-border': '#dedbd2',
    '--mantine-color-error': '#b42318',
    '--mantine-color-red-filled': '#b42318',
    '--mantine-color-red-filled-hover': '#912018',
    '--mantine-color-red-light-color': '#912018',
    '--sheet': '#ffffff',
    '--mark': '#ffe08a',
    '--on-mark': '#3a2a00',
  },
  dark: {
    '--mantine-color-body': '#14171a',
    '--mantine-color-text': '#e8e6e1',
    '--mantine-color-dimmed': '#a0a7af',
    '--mantine-color-placeholder': '#a0a7af',
    '--mantine-color-default-border': '#363c43',
    '--mantine-color-error': '#ff8787',
    // lighter than the surface below it; in the light scheme it is darker
    '--mantine-color-sign-light': '#2a3a32',
    '--mantine-color-sign-light-hover': '#31443a',
    '--mantine-color-gray-light': '#2d333a',
    '--mantine-color-gray-light-hover': '#353c44',
    '--sheet': '#1c2024',
    '--mark': '#6b5100',
    '--on-mark': '#ffefc2',
  },
});
