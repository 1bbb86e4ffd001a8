import { useLocalStorage } from '@mantine/hooks';
import { createContext } from 'react';

/** Whether times are shown in full: in lists of facts, and everywhere if the person has chosen so. */
export const ExactTimesContext = createContext(false);

/** The choice of the person, stored in the browser. */
export const useExactTimesPreference = () =>
  useLocalStorage({ key: 'countersign-exact-times', defaultValue: false, getInitialValueInEffect: false });
