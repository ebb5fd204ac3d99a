// Colours of the style sheet for a canvas, which knows neither custom properties nor light-dark().

/** Reads the computed colours of an element: `--up` as `rgba(53, 199, 138, 1)`. */
export function readColours(element: HTMLElement): (name: string) => string {
  const probe = document.createElement('span')
  // A system with colours of its own paints no canvas: marks and candles would all have that of the text.
  probe.style.setProperty('forced-color-adjust', 'none')
  const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })!
  const known = new Map<string, string>()
  return name => {
    let colour = known.get(name)
    if (colour === undefined) {
      probe.style.color = `var(${name})`
      element.append(probe)
      // Painted, because a computed colour may be in a form that chart libraries cannot parse.
      context.clearRect(0, 0, 1, 1)
      context.fillStyle = getComputedStyle(probe).color
      context.fillRect(0, 0, 1, 1)
      probe.remove()
      const [red, green, blue, alpha] = context.getImageData(0, 0, 1, 1).data
      known.set(name, (colour = `rgba(${red}, ${green}, ${blue}, ${(alpha! / 255).toFixed(3)})`))
    }
    return colour
  }
}
