/**
 * Estimates the yield of a roof. In Germany, 1 kWp needs about 5.5 m² and gives about 950 kWh a year.
 *
 * @param area in m², as typed
 * @returns the estimate; null if the area is not between 5 and 5,000 m²
 */
export function estimateFor(area) {
  const squareMetres = Number.parseFloat(area.replace(',', '.'));
  if (!(squareMetres >= 5 && squareMetres <= 5_000)) return null;
  const kilowattPeak = Math.round((squareMetres * 0.6) / 0.55) / 10;
  return { kilowattPeak, kilowattHoursPerYear: Math.round(kilowattPeak * 95) * 10 };
}

export const estimateInWords = ({ kilowattPeak, kilowattHoursPerYear }) =>
  `A roof of this size carries about ${kilowattPeak}\u00a0kWp and gives about ${kilowattHoursPerYear.toLocaleString('en')}\u00a0kWh a year.`;
