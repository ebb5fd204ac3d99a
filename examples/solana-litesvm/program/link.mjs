// Links the object file of clang's BPF target into a program that Solana loads: node link.mjs consumer.o consumer.so
// It needs one .text section, no data, and no calls but those of the runtime (sol_…).
import { readFileSync, writeFileSync } from 'node:fs'

const RELOCATION_CALL = 10
const BPF_PSEUDO_CALL = 1
const SECTION_BYTES = 64
const SEGMENT_BYTES = 56

const [, , input, output] = process.argv
const object = readFileSync(input)
const sections = readSections(object)
const { text, calls, names, entry } = readProgram(object, sections)
writeFileSync(output, toSharedObject(text, calls, names, entry))
console.log(`${output}: ${text.length} bytes of code, calls ${names.join(', ')}`)

function readSections(bytes) {
  const [at, count, nameIndex] = [u64(bytes, 40), bytes.readUInt16LE(60), bytes.readUInt16LE(62)]
  const raw = Array.from({ length: count }, (_, i) => {
    const start = at + i * SECTION_BYTES
    return {
      nameAt: bytes.readUInt32LE(start),
      type: bytes.readUInt32LE(start + 4),
      offset: u64(bytes, start + 24),
      size: u64(bytes, start + 32),
      link: bytes.readUInt32LE(start + 40),
    }
  })
  return raw.map(section => ({ ...section, name: textAt(bytes, raw[nameIndex].offset + section.nameAt) }))
}

/** The code with its calls prepared for relocation, and the names of the called functions. */
function readProgram(bytes, all) {
  const data = all.find(({ name, size }) => /^\.(rodata|data|bss)/.test(name) && size > 0)
  if (data !== undefined) throw new Error(`${data.name} has ${data.size} bytes: this linker takes code only`)
  const find = name => all.find(section => section.name === name)
  const code = find('.text')
  const symbolTable = all.find(({ type }) => type === 2)
  const symbolNames = all[symbolTable.link].offset
  const symbols = Array.from({ length: symbolTable.size / 24 }, (_, i) => {
    const start = symbolTable.offset + i * 24
    const name = textAt(bytes, symbolNames + bytes.readUInt32LE(start))
    return { name, isExternal: bytes.readUInt16LE(start + 6) === 0, value: u64(bytes, start + 8) }
  })
  const result = Buffer.from(bytes.subarray(code.offset, code.offset + code.size))
  const relocations = find('.rel.text')
  const called = []
  const found = []
  for (let start = relocations.offset; start < relocations.offset + relocations.size; start += 16) {
    const at = u64(bytes, start)
    const { name, isExternal } = symbols[bytes.readUInt32LE(start + 12)]
    if (bytes.readUInt32LE(start + 8) !== RELOCATION_CALL || !isExternal) throw new Error(`cannot relocate ${name}`)
    // The loader replaces the operand with the hash of the name.
    result[at + 1] = BPF_PSEUDO_CALL << 4
    result.writeInt32LE(-1, at + 4)
    if (!called.includes(name)) called.push(name)
    found.push({ at, symbol: called.indexOf(name) + 1 })
  }
  return { text: result, calls: found, names: called, entry: symbols.find(({ name }) => name === 'entrypoint').value }
}

/** An ELF of three segments: code, dynamic tables, and the section that lists them. */
function toSharedObject(code, relocations, functions, start) {
  let end = 64 + 3 * SEGMENT_BYTES
  const placed = []
  const place = (name, type, flags, data, { entrySize = 0, link = 0, isLoaded = true } = {}) => {
    const offset = align(end)
    const section = { name, type, flags, data, offset, address: isLoaded ? offset : 0, entrySize, link }
    end = offset + data.length
    placed.push(section)
    return section
  }

  const strings = Buffer.from(`\0${functions.map(name => `${name}\0`).join('')}`, 'latin1')
  const symbols = Buffer.alloc(24 * (functions.length + 1))
  functions.forEach((name, i) => {
    symbols.writeUInt32LE(strings.indexOf(`\0${name}\0`) + 1, 24 * (i + 1))
    symbols[24 * (i + 1) + 4] = 0x10
  })
  const text = place('.text', 1, 6, code)
  const table = Buffer.alloc(16 * relocations.length)
  relocations.forEach(({ at, symbol }, i) => {
    table.writeBigUInt64LE(BigInt(text.address + at), 16 * i)
    table.writeUInt32LE(RELOCATION_CALL, 16 * i + 8)
    table.writeUInt32LE(symbol, 16 * i + 12)
  })
  const dynamic = place('.dynamic', 6, 3, Buffer.alloc(16 * 7), { entrySize: 16, link: 4 })
  const dynsym = place('.dynsym', 11, 2, symbols, { entrySize: 24, link: 4 })
  const dynstr = place('.dynstr', 3, 2, strings)
  const rel = place('.rel.dyn', 9, 2, table, { entrySize: 16, link: 3 })
  const tags = [
    [17, rel.address],
    [18, table.length],
    [19, 16],
    [6, dynsym.address],
    [11, 24],
    [5, dynstr.address],
    [0, 0],
  ]
  for (const [i, [tag, value]] of tags.entries()) {
    dynamic.data.writeBigUInt64LE(BigInt(tag), 16 * i)
    dynamic.data.writeBigUInt64LE(BigInt(value), 16 * i + 8)
  }
  const names = `\0${placed.map(({ name }) => `${name}\0`).join('')}.shstrtab\0`
  place('.shstrtab', 3, 0, Buffer.from(names, 'latin1'), { isLoaded: false })

  const headers = align(end)
  const file = Buffer.alloc(headers + SECTION_BYTES * (placed.length + 1))
  for (const { data, offset } of placed) data.copy(file, offset)
  file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1])
  const write16 = (at, values) => values.forEach((value, i) => void file.writeUInt16LE(value, at + 2 * i))
  // A shared object for the machine 263, Solana's.
  write16(16, [3, 263])
  file.writeUInt32LE(1, 20)
  writeAll(file, 24, [text.address + start, 64, headers])
  write16(52, [64, SEGMENT_BYTES, 3, SECTION_BYTES, placed.length + 1, placed.length])
  const segments = [
    [1, 5, text.offset, code.length],
    [1, 4, dynamic.offset, rel.offset + table.length - dynamic.offset],
    [2, 6, dynamic.offset, dynamic.data.length],
  ]
  for (const [i, [type, flags, offset, size]] of segments.entries()) {
    const at = 64 + SEGMENT_BYTES * i
    file.writeUInt32LE(type, at)
    file.writeUInt32LE(flags, at + 4)
    writeAll(file, at + 8, [offset, offset, offset, size, size, 8])
  }
  for (const [i, section] of placed.entries()) {
    const at = headers + SECTION_BYTES * (i + 1)
    file.writeUInt32LE(names.indexOf(`\0${section.name}\0`) + 1, at)
    file.writeUInt32LE(section.type, at + 4)
    writeAll(file, at + 8, [section.flags, section.address, section.offset, section.data.length])
    file.writeUInt32LE(section.link, at + 40)
    writeAll(file, at + 48, [8, section.entrySize])
  }
  return file
}

function writeAll(bytes, at, values) {
  for (const [i, value] of values.entries()) bytes.writeBigUInt64LE(BigInt(value), at + 8 * i)
}

function u64(bytes, at) {
  return Number(bytes.readBigUInt64LE(at))
}

function align(at) {
  return (at + 7) & ~7
}

function textAt(bytes, at) {
  return bytes.toString('latin1', at, bytes.indexOf(0, at))
}
